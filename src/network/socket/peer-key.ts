import type { KeyObject } from "node:crypto";
import type { TLSSocket } from "node:tls";

import type { NodeName } from "../../protocol/ids.ts";
import type { Identity, Registry } from "../../keys/identity.ts";

/** The key that the other side of a connection has proven to have, once the handshake is over. */
export function provenKey(socket: TLSSocket): KeyObject | undefined {
  try {
    return socket.getPeerX509Certificate()?.publicKey;
  } catch {
    // A certificate may hold a kind of key that cannot be read.
    return undefined;
  }
}

/** Whose key it is. What a certificate says about that does not count. */
export function ownerOf(
  key: KeyObject,
  registry: Registry<NodeName>,
): NodeName | undefined {
  for (const [name, registered] of registry)
    if (registered.equals(key)) return name;
  return undefined;
}

/** Throws unless the node has its registered key, and nobody else has it or shares one. */
export function requireDistinctKeys(options: {
  readonly name: NodeName;
  readonly identity: Identity;
  readonly registry: Registry<NodeName>;
}): void {
  const { name, identity, registry } = options;
  if (registry.get(name)?.equals(identity.publicKey) !== true)
    throw new Error(
      `The public key that is registered for ${name} is not its own.`,
    );
  for (const [peer, key] of registry) {
    const owner = ownerOf(key, registry);
    if (owner !== peer && owner !== undefined)
      throw new Error(`${owner} and ${peer} have the same public key.`);
  }
}
