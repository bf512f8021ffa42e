import { z } from "zod";

import { PEER_ADDRESSES_MAX, showAddress } from "../network/socket/address.ts";
import { addressType, nodeNameType } from "./config-types.ts";

/** A node that runs as a process of its own, as the others have to know it. */
export interface PeerConfig {
  /** Where it listens to other nodes: `host:port`. A node with replicas has a list, with one for each replica. */
  readonly address: string | readonly string[];
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

const addressesMessage =
  'Expected where the node listens, "host:port", or a list of such addresses if it has replicas';

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

const oneAddressType = z
  .string({ invalid_type_error: addressMessage })
  // Nobody finds a port that is chosen anew with every start.
  .refine((text) => (parseHostAndPort(text)?.port ?? 0) > 0, {
    message: addressMessage,
  });

const addressListType = z
  .array(oneAddressType)
  .min(1, { message: "Expected at least one address" })
  .max(PEER_ADDRESSES_MAX, {
    message: `Expected at most ${PEER_ADDRESSES_MAX} addresses`,
  })
  .superRefine((addresses, context) => {
    const seen = new Set<string>();
    for (const [index, address] of addresses.entries()) {
      const same = comparable(address);
      if (seen.has(same))
        context.addIssue({
          code: z.ZodIssueCode.custom,
          path: [index],
          message: `"${address}" is in the list twice. Remove one of them`,
        });
      seen.add(same);
    }
  });

/** A union would say only that nothing of it fits. */
const addressesType: z.ZodType<PeerConfig["address"]> = z
  .any()
  .superRefine((value: unknown, context) => {
    const type = Array.isArray(value)
      ? addressListType
      : typeof value === "string"
        ? oneAddressType
        : z.never({
            invalid_type_error: addressesMessage,
            required_error: addressesMessage,
          });
    // Fatal: what compares nodes with each other gets addresses only.
    for (const issue of type.safeParse(value).error?.issues ?? [])
      context.addIssue({ ...issue, fatal: true });
  });

const peerType = z
  .object({
    address: addressesType,
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
    for (const [name, peer] of Object.entries(peers))
      for (const [path, value] of valuesOf(peer, field)) {
        const other = seen.get(value);
        if (other !== undefined && other !== name)
          context.addIssue({
            code: z.ZodIssueCode.custom,
            path: [name, ...path],
            message: `${other} has the same. Every node needs one of its own`,
          });
        seen.set(value, name);
      }
  }
}

/** What must differ between nodes, each value with its path. */
function valuesOf(
  peer: PeerConfig,
  field: "address" | "key" | "endorser",
): readonly (readonly [path: readonly (string | number)[], value: string])[] {
  if (field !== "address") return [[[field], peer[field].toLowerCase()]];
  const { address } = peer;
  if (typeof address === "string") return [[[field], comparable(address)]];
  return address.map((one, index) => [[field, index], comparable(one)]);
}

/** The same for two ways to write one address, as far as they can be told without asking a name server. */
function comparable(address: string): string {
  const parsed = parseHostAndPort(address);
  return (parsed === undefined ? address : showAddress(parsed)).toLowerCase();
}

/** All addresses of a node. */
export function addressesOf({ address }: PeerConfig): readonly string[] {
  return typeof address === "string" ? [address] : address;
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
