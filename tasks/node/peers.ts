import type { KeyObject } from "node:crypto";

import { type Address, parseAddress } from "../../src/ledger/index.ts";
import { SequencerError } from "../../src/plugin/errors.ts";
import {
  parseHostAndPort,
  type PeersConfig,
} from "../../src/plugin/peers-config.ts";
import { type NodeName, parseNodeName } from "../../src/protocol/ids.ts";
import {
  encodePublicKey,
  type Identity,
  parsePublicKey,
} from "../../src/keys/identity.ts";
import type { PeerAddress } from "../../src/network/socket/address.ts";

/** A node that others have to know. */
export interface Peer {
  readonly address: PeerAddress;
  readonly publicKey: KeyObject;
  readonly endorser: Address;
  readonly payer: Address;
}

/** All nodes of the configuration. It has been checked. */
export function readPeers(config: PeersConfig): ReadonlyMap<NodeName, Peer> {
  return new Map(
    Object.entries(config).map(([name, peer]) => {
      const { address, key, endorser, payer = endorser } = peer;
      const node = parseNodeName(name);
      const where = parseHostAndPort(address);
      if (node === undefined || where === undefined)
        throw new Error(`${name} was not checked.`);
      const publicKey = parsePublicKey(key.toLowerCase());
      return [
        node,
        {
          address: where,
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
