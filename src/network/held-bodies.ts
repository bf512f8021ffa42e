import type { NodeName } from "../protocol/ids.ts";

/**
 * Characters that are held for one peer: what a node says within the moment that a greeting takes. Peers that are away for longer are
 * told again by the protocol.
 */
const HELD_LENGTH_MAX = 4_194_304;

/** Bodies for peers whose session is not known yet, oldest first. The oldest make room for the newest. */
export class HeldBodies {
  readonly #held = new Map<
    NodeName,
    { readonly bodies: string[]; length: number }
  >();

  /** How many were lost for it. */
  add(to: NodeName, body: string): number {
    const held = this.#held.get(to) ?? { bodies: [], length: 0 };
    this.#held.set(to, held);
    held.bodies.push(body);
    held.length += body.length;
    let lost = 0;
    while (held.length > HELD_LENGTH_MAX && held.bodies.length > 1) {
      held.length -= held.bodies.shift()?.length ?? 0;
      lost += 1;
    }
    return lost;
  }

  /** All that is held for a peer, and held no longer. */
  take(to: NodeName): readonly string[] {
    const { bodies = [] } = this.#held.get(to) ?? {};
    this.#held.delete(to);
    return bodies;
  }
}
