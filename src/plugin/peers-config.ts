import { z } from "zod";

import { addressType, nodeNameType } from "./config-types.ts";

/** A node that runs as a process of its own, as the others have to know it. */
export interface PeerConfig {
  /** Where it listens to other nodes: `host:port`. */
  readonly address: string;
  /** Its public key, as `sequencer:identity` tells it. */
  readonly key: string;
  /** The address with which it endorses. */
  readonly endorser: string;
  /** The address with which it pays for what it submits; without it, the one with which it endorses. */
  readonly payer?: string | undefined;
}

/** All nodes of a network by name, as `sequencer:node` needs them. */
export type PeersConfig = Readonly<Record<string, PeerConfig>>;

const addressMessage =
  'Expected where the node listens: "host:port", as in "10.0.0.7:8650" or "[::1]:8650"';

const keyMessage =
  'Expected the public key of the node: "0x" and 64 hexadecimal digits, as npx hardhat sequencer:identity prints it';

/** A host and a port, taken apart; undefined if it is none. */
export function parseHostAndPort(
  text: string,
): { readonly host: string; readonly port: number } | undefined {
  const found =
    /^(?:\[(?<v6>[\da-fA-F:.]{2,45})\]|(?<name>[A-Za-z0-9._-]{1,253})):(?<port>\d{1,5})$/.exec(
      text,
    )?.groups;
  const port = Number(found?.["port"]);
  const host = found?.["v6"] ?? found?.["name"];
  if (host === undefined || !(port <= 65_535)) return undefined;
  return { host, port };
}

const peerType = z
  .object({
    address: z
      .string({ invalid_type_error: addressMessage })
      // Nobody finds a port that is chosen anew with every start.
      .refine((text) => (parseHostAndPort(text)?.port ?? 0) > 0, {
        message: addressMessage,
      }),
    key: z
      .string({ invalid_type_error: keyMessage })
      .regex(/^0x[0-9a-fA-F]{64}$/, { message: keyMessage }),
    endorser: addressType,
    payer: addressType.optional(),
  })
  .strict();

/** What `sequencer.peers` may hold. */
export const peersType: z.ZodType<PeersConfig> = z
  .record(nodeNameType, peerType)
  .superRefine(requireDifferent)
  .superRefine(requireOwnPayers);

/** Nobody could tell nodes apart that share something. */
function requireDifferent(peers: PeersConfig, context: z.RefinementCtx): void {
  for (const field of ["address", "key", "endorser"] as const) {
    const seen = new Map<string, string>();
    for (const [name, peer] of Object.entries(peers)) {
      const value = peer[field].toLowerCase();
      const other = seen.get(value);
      if (other !== undefined)
        context.addIssue({
          code: z.ZodIssueCode.custom,
          path: [name, field],
          message: `${other} has the same. Every node needs one of its own`,
        });
      seen.set(value, name);
    }
  }
}

/** The transactions of an account are in one order, so that two nodes cannot pay with the same. */
function requireOwnPayers(peers: PeersConfig, context: z.RefinementCtx): void {
  const accounts = Object.entries(peers).flatMap(([name, peer]) =>
    [peer.endorser, peer.payer].map((account) => ({ name, account })),
  );
  for (const [name, { payer }] of Object.entries(peers)) {
    const other = accounts.find(
      (one) =>
        one.name !== name &&
        payer !== undefined &&
        one.account?.toLowerCase() === payer.toLowerCase(),
    );
    if (other !== undefined)
      context.addIssue({
        code: z.ZodIssueCode.custom,
        path: [name, "payer"],
        message: `${other.name} endorses or pays with the same. Every node needs one of its own`,
      });
  }
}
