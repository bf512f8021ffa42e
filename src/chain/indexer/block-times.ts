import type { Header } from "../values.ts";

/** So many intervals are remembered: slots without a block must not make it forget how long one is. */
const INTERVALS = 3;
/** Blocks that are further apart than this are awaited no more patiently. */
const INTERVAL_MS_MAX = 60_000;
/** Timestamps are in whole seconds. */
const ROUNDING_MS = 1_000;
/** Blocks of a simulated chain that are closer than this are not worth waiting for. */
const SLOW_MS = 4_000;

/** Learns from headers how long a chain takes from one block to the next. */
export class BlockTimes {
  readonly #intervals: number[] = [];
  #last: Pick<Header, "number" | "timestamp"> | undefined;
  /** How long nobody has seen a new block, as far as it was waited for. */
  #waitedMs = 0;
  #isWaitedFor = false;

  /** The time from one block to the next; undefined as long as nobody knows. */
  get blockMs(): number | undefined {
    return this.#intervals.length === 0
      ? undefined
      : Math.min(...this.#intervals);
  }

  /** Blocks came slowly and evenly for a while, by the clock of the chain and by waiting for them. */
  get isSlowAndRegular(): boolean {
    const least = Math.min(...this.#intervals);
    const most = Math.max(...this.#intervals);
    return (
      this.#isWaitedFor &&
      this.#intervals.length === INTERVALS &&
      least >= SLOW_MS &&
      most - least <= ROUNDING_MS
    );
  }

  wait(ms: number): void {
    this.#waitedMs += ms;
  }

  see(header: Pick<Header, "number" | "timestamp">): void {
    const last = this.#last;
    const waitedMs = this.#waitedMs;
    this.#last = header;
    this.#waitedMs = 0;
    // After a reorganisation nothing can be said.
    if (last === undefined || header.number <= last.number) return;
    const seconds = Math.max(0, header.timestamp - last.timestamp);
    const interval = (seconds * 1_000) / (header.number - last.number);
    this.#intervals.push(Math.min(interval, INTERVAL_MS_MAX));
    if (this.#intervals.length > INTERVALS) this.#intervals.shift();
    // Simulated chains can be told to put any time into their blocks.
    this.#isWaitedFor = waitedMs >= interval / 2;
  }
}
