import type { Lane } from "../ledger/index.ts";
import type { GroupAddress } from "../protocol/ids.ts";

/** A number in a lane, from which an intent gets its id. */
export interface Series {
  readonly lane: Lane;
  /** Shows whose lane it is: see `states/ownership.ts`. */
  readonly salt: string;
  readonly series: bigint;
}

/**
 * Ids that a node takes from one lane: those that share one word of the ledger. A larger number would save no gas, and would
 * show everybody that more intents have the same sender.
 */
const LANE_INTENTS = 256n;

const SALT_BYTES = 16;

/**
 * Numbers for intents, never the same twice. Every opening of a store draws new lanes, and a lane is counted up in memory
 * only. So there is nothing that a crash could lose or that an old backup could bring back; and it costs no more than
 * numbers reserved on disk, because there, too, every start would open a new word of the ledger.
 */
export class Lanes {
  readonly #lanes = new Map<
    GroupAddress,
    { readonly lane: Lane; readonly salt: string; next: bigint }
  >();
  readonly #randomBytes: (length: number) => Uint8Array;

  constructor(ports: { readonly randomBytes: (length: number) => Uint8Array }) {
    this.#randomBytes = ports.randomBytes;
  }

  /** The next number for a group. `laneOf` is asked for a lane whenever a new one begins. */
  nextSeries(group: GroupAddress, laneOf: (salt: string) => Lane): Series {
    let current = this.#lanes.get(group);
    if (current === undefined || current.next >= LANE_INTENTS) {
      const bytes = Buffer.from(this.#randomBytes(SALT_BYTES));
      const salt = `0x${bytes.toString("hex")}`;
      current = { lane: laneOf(salt), salt, next: 0n };
      this.#lanes.set(group, current);
    }
    const series = current.next;
    current.next += 1n;
    return { lane: current.lane, salt: current.salt, series };
  }
}
