import type { EventMoment } from "../../node/driver.ts";
import type { NodeEvent } from "../../node/node-events.ts";
import type { NodeName } from "../../protocol/ids.ts";
import { violation } from "../violation.ts";

/** Messages of one peer that may wait in a node at the same time. */
const MESSAGES_MAX = 4_096;
/** Characters of them. One message more than that may wait, as large as a message may be. */
const LENGTH_MAX = 17 * 4_194_304;

interface Load {
  messages: number;
  length: number;
}

/** What waits in the loop of a node since its last start, by the peer that sent it. */
export class Backlog {
  readonly #name: NodeName;
  readonly #loads = new Map<NodeName, Load>();

  constructor(name: NodeName) {
    this.#name = name;
  }

  /** L22: no peer makes a node keep much. */
  see(event: NodeEvent, moment: EventMoment): void {
    if (event.type !== "group" && event.type !== "states-told") return;
    if (event.charge === undefined) return;
    const { from, length } = event.charge;
    const load = this.#loads.get(from) ?? { messages: 0, length: 0 };
    this.#loads.set(from, load);
    const sign = moment === "posted" ? 1 : -1;
    load.messages += sign;
    load.length += sign * length;
    if (load.messages <= MESSAGES_MAX && load.length <= LENGTH_MAX) return;
    throw violation(
      "L22",
      this.#name,
      `keeps ${load.messages} messages with ${load.length} characters of ${from}`,
    );
  }
}
