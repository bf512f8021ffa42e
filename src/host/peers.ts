import type { KeyObject } from "node:crypto";

import type { Address } from "../ledger/index.ts";
import type { NodeName } from "../protocol/ids.ts";
import { isSignedWith } from "../keys/identity.ts";
import type { Directory } from "../node/ports.ts";

/** What all nodes know of a node. */
export interface KnownPeer {
  readonly publicKey: KeyObject;
  /** The address that endorses for it. */
  readonly endorser: Address;
}

/** All nodes, this one among them. */
export type KnownPeers = ReadonlyMap<NodeName, KnownPeer>;

/** The keys with which nodes sign envelopes. */
export function registryOf(
  peers: KnownPeers,
): ReadonlyMap<NodeName, KeyObject> {
  return new Map(
    [...peers].map(([name, { publicKey }]) => [name, publicKey] as const),
  );
}

/** The directory of nodes that are all known. */
export function directoryOf(peers: KnownPeers): Directory {
  return {
    names: () => [...peers.keys()],
    endorserOf: (name) => peers.get(name)?.endorser,
    isSignedBy: async (name, bytes, signature) => {
      const key = peers.get(name)?.publicKey;
      return key !== undefined && (await isSignedWith(key, bytes, signature));
    },
  };
}
