import type { NodeName } from "../../src/protocol/ids.ts";
import {
  createIdentity,
  type Identity,
  type Registry,
} from "../../src/runtime/keys/identity.ts";
import type { Member } from "../../src/runtime/transport/sealed-transport.ts";
import { nodeName } from "./stores.ts";

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

  /** A node in one of its boots. */
  member(name: string, changes: Partial<Member> = {}): Member {
    const identity = this.#identities.get(nodeName(name));
    if (identity === undefined) throw new Error(`${name} is no member.`);
    return {
      name: nodeName(name),
      boot: 1,
      identity,
      registry: this.registry,
      ...changes,
    };
  }
}
