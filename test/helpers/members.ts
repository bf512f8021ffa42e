import { hash } from "node:crypto";

import type { NodeName } from "../../src/protocol/ids.ts";
import {
  createIdentity,
  type Identity,
  type Registry,
} from "../../src/keys/identity.ts";
import { type NetworkId, networkIdOf } from "../../src/network/network-id.ts";
import { type Session, sessionBytes } from "../../src/network/session.ts";
import type { Member } from "../../src/network/sealed-transport.ts";
import { nodeName } from "./stores.ts";

/** The network of nodes that only talk to each other. */
export const testNetwork: NetworkId = networkIdOf({
  chainId: 31_337n,
  factory: `0x${"fa".repeat(20)}`,
});

/** The session that a node has in one of its boots, where a test decides. */
export function sessionOf(name: string, boot = 1): Session {
  return hash("sha256", `${name} ${boot}`).slice(0, 2 * sessionBytes);
}

/** Nodes that know each other's keys. */
export class Members {
  readonly registry: Registry<NodeName>;
  readonly #identities = new Map<NodeName, Identity>();

  constructor(...names: readonly string[]) {
    for (const name of names)
      this.#identities.set(nodeName(name), createIdentity());
    this.registry = new Map(
      [...this.#identities].map(([name, { publicKey }]) => [name, publicKey]),
    );
  }

  /** The same, with the session that a test knows. */
  own(
    name: string,
    changes: Partial<Member> = {},
  ): Member & { readonly session: Session } {
    const member = this.member(name, changes);
    return { ...member, session: sessionOf(name, member.boot) };
  }

  /** A node in one of its boots. */
  member(name: string, changes: Partial<Member> = {}): Member {
    const identity = this.#identities.get(nodeName(name));
    if (identity === undefined) throw new Error(`${name} is no member.`);
    return {
      name: nodeName(name),
      network: testNetwork,
      boot: 1,
      identity,
      registry: this.registry,
      ...changes,
    };
  }
}
