import { type Lane, LANE_BYTES, laneFrom } from "../../ledger/index.ts";
import type { GroupAddress } from "../../protocol/ids.ts";

/** A number in a lane, from which an intent gets its id. */
export interface Series {
  readonly lane: Lane;
  readonly series: bigint;
}

/**
 * Numbers for intents, never the same twice. Every opening of a store draws new lanes, and a lane is counted up in memory
 * only. So there is nothing that a crash could lose or that an old backup could bring back; and it costs no more than
 * numbers reserved on disk, because there, too, every start would open a new word of the ledger.
 */
export class Lanes {
  readonly #lanes = new Map<
    GroupAddress,
    { readonly lane: Lane; next: bigint }
  >();
  readonly #randomBytes: (length: number) => Uint8Array;

  constructor(ports: { readonly randomBytes: (length: number) => Uint8Array }) {
    this.#randomBytes = ports.randomBytes;
  }

  nextSeries(group: GroupAddress): Series {
    let current = this.#lanes.get(group);
    if (current === undefined) {
      current = { lane: laneFrom(this.#randomBytes(LANE_BYTES)), next: 0n };
      this.#lanes.set(group, current);
    }
    const series = current.next;
    current.next += 1n;
    return { lane: current.lane, series };
  }
}
