import type { NodeName } from "../../protocol/ids.ts";
import { limits } from "../../protocol/limits.ts";

/** Messages of one member that wait for their turn at most: many times as many as one that is honest has to say at once. */
const MESSAGES_MAX = 4_096;
/** Characters of them, if there is more than one: some of the largest. */
const LENGTH_MAX = 16 * limits.messageBytes;

interface Load {
  messages: number;
  length: number;
}

/** How much of every member waits. Whoever says too much is not heard for a while, and nobody else notices. */
export class PeerQuotas {
  readonly #loads = new Map<NodeName, Load>();

  /** Takes a message in, and gives what is to be called once it waits no longer. Undefined if too much of that member waits. */
  take(from: NodeName, length: number): (() => void) | undefined {
    const load = this.#loads.get(from) ?? { messages: 0, length: 0 };
    const isFull =
      load.messages >= MESSAGES_MAX || load.length + length > LENGTH_MAX;
    if (load.messages > 0 && isFull) return undefined;
    load.messages += 1;
    load.length += length;
    this.#loads.set(from, load);
    let isDone = false;
    return () => {
      if (isDone) return;
      isDone = true;
      load.messages -= 1;
      load.length -= length;
      if (load.messages === 0) this.#loads.delete(from);
    };
  }
}
