import type { KeyObject } from "node:crypto";

import { type Address, parseAddress } from "../../src/ledger/index.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import {
  addressesOf,
  parseHostAndPort,
  type PeersConfig,
} from "../../src/plugin/peers-config.ts";
import { type NodeName, parseNodeName } from "../../src/protocol/ids.ts";
import {
  encodePublicKey,
  type Identity,
  parsePublicKey,
} from "../../src/keys/identity.ts";
import {
  type PeerAddress,
  showAddress,
} from "../../src/network/socket/address.ts";

/** A node that others have to know. */
export interface Peer {
  /** At least one; a node with replicas has one for each. */
  readonly addresses: readonly PeerAddress[];
  readonly publicKey: KeyObject;
  readonly endorser: Address;
  readonly payer: Address;
}

/** All nodes of the configuration. It has been checked. */
export function readPeers(config: PeersConfig): ReadonlyMap<NodeName, Peer> {
  return new Map(
    Object.entries(config).map(([name, peer]) => {
      const { key, endorser, payer = endorser } = peer;
      const node = parseNodeName(name);
      if (node === undefined) throw new Error(`${name} was not checked.`);
      const addresses = addressesOf(peer).map((address) => {
        const parsed = parseHostAndPort(address);
        if (parsed === undefined) throw new Error(`${name} was not checked.`);
        return parsed;
      });
      const publicKey = parsePublicKey(key.toLowerCase());
      return [
        node,
        {
          addresses,
          publicKey,
          endorser: parseAddress(endorser.toLowerCase(), "endorser"),
          payer: parseAddress(payer.toLowerCase(), "payer"),
        },
      ];
    }),
  );
}

/** The entry of a node itself. */
export function requireOwn(
  peers: ReadonlyMap<NodeName, Peer>,
  name: NodeName,
): Peer {
  const own = peers.get(name);
  if (own === undefined)
    throw new SequencerError("PEER_MISSING", {
      node: name,
      known: [...peers.keys()],
    });
  return own;
}

/** Where a node listens. One with several addresses has replicas, and nothing says which of them this process is. */
export function requireListen(
  { addresses }: Peer,
  {
    name,
    listen,
  }: { readonly name: string; readonly listen: PeerAddress | undefined },
): PeerAddress {
  const [only, ...others] = addresses;
  const found = listen ?? (others.length === 0 ? only : undefined);
  if (found === undefined)
    throw new SequencerError("LISTEN_MISSING", {
      node: name,
      addresses: addresses.map(showAddress),
    });
  return found;
}

/** The key on disk must be the one by which others know the node: they would refuse everything that it says. */
export function requireOwnKey(
  { publicKey }: Peer,
  identity: Identity,
  node: { readonly name: NodeName; readonly directory: string },
): void {
  const configured = encodePublicKey(publicKey);
  const found = encodePublicKey(identity.publicKey);
  if (configured !== found)
    throw new SequencerError("PEER_KEY_OTHER", {
      node: node.name,
      directory: node.directory,
      configured,
      found,
    });
}
