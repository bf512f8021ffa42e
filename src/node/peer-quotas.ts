import type { NodeName } from "../protocol/ids.ts";
import { limits } from "../protocol/limits.ts";

/** Messages of one member that wait for their turn at most: many times as many as one that is honest has to say at once. */
const MESSAGES_MAX = 4_096;
/** Characters of them, if there is more than one: some of the largest. */
const LENGTH_MAX = 16 * limits.messageBytes;

interface Load {
  messages: number;
  length: number;
}

/** A message that counts against the quota of a member while it waits. */
export interface Charge {
  readonly from: NodeName;
  readonly length: number;
  isReleased: boolean;
}

/** Bounds how much of every member waits. A member that says too much is not heard for a while, and no other member notices. */
export class PeerQuotas {
  readonly #loads = new Map<NodeName, Load>();

  /** Takes a message in. Undefined if too much of that member waits. */
  take(from: NodeName, length: number): Charge | undefined {
    const load = this.#loads.get(from) ?? { messages: 0, length: 0 };
    const isFull =
      load.messages >= MESSAGES_MAX || load.length + length > LENGTH_MAX;
    if (load.messages > 0 && isFull) return undefined;
    load.messages += 1;
    load.length += length;
    this.#loads.set(from, load);
    return { from, length, isReleased: false };
  }

  /** The message waits no longer. */
  release(charge: Charge): void {
    const { from, length, isReleased } = charge;
    const load = this.#loads.get(from);
    if (isReleased || load === undefined) return;
    charge.isReleased = true;
    load.messages -= 1;
    load.length -= length;
    if (load.messages === 0) this.#loads.delete(from);
  }
}
