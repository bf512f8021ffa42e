/** However fast blocks come, a chain is not asked more often. */
const LEAST_MS = 10;
/** The first look is by this part of the time between blocks earlier than the last find was, so that it soon comes right after a block. */
const EARLIER = 0.03;
/** Twice as much with every find at the first look, up to this part. */
const EARLIER_MAX = 0.25;
/** The next look after one that was too early is this part of that time later. */
const NEXT_LOOKS = 0.15;
/** A block that does not come is awaited more and more patiently. */
const PATIENCE = 1.25;

/** Blocks that take more than this many wanted waits are looked for as often as wanted. */
const SLOW = 1.5;
const LEARNED_MAX = 2;
/** The time between blocks is the mean of about so many samples. */
const SAMPLES = 8;

/**
 * Looks for blocks that come faster than somebody wants to look for them: little more than once for each. How long they take is
 * learned from the waits between finds, as timestamps of blocks are in whole seconds.
 */
export class Rhythm {
  readonly #pollMs: number;
  /** How long a block takes, up to a bound beyond which there is nothing to learn. */
  #blockMs: number;
  #samples = 0;
  /** Waited since the last find; undefined if nobody knows. */
  #waitedMs: number | undefined;
  #number: number | undefined;
  #stepMs: number;
  #earlier = EARLIER;
  /** What is left to wait before the first look, because nobody may wait for it in one go. */
  #restMs = 0;

  constructor(options: { readonly pollMs: number }) {
    this.#pollMs = options.pollMs;
    this.#blockMs = options.pollMs;
    this.#stepMs = options.pollMs;
  }

  /** How long to wait now that a new block was found, after so long a wait. */
  found(number: number, waitedMs: number): number {
    const blocks = number - (this.#number ?? number);
    if (this.#waitedMs !== undefined && blocks > 0) {
      const sampleMs = (this.#waitedMs + waitedMs) / blocks;
      const mostMs = LEARNED_MAX * this.#pollMs;
      this.#samples = Math.min(this.#samples + 1, SAMPLES);
      this.#blockMs +=
        (Math.min(sampleMs, mostMs) - this.#blockMs) / this.#samples;
    }
    this.#number = number;
    this.#waitedMs = 0;
    const isFast = this.#samples > 0 && this.#blockMs <= SLOW * this.#pollMs;
    this.#stepMs = isFast ? NEXT_LOOKS * this.#blockMs : this.#pollMs;
    const firstMs = isFast ? (1 - this.#earlier) * this.#blockMs : this.#pollMs;
    this.#earlier = Math.min(2 * this.#earlier, EARLIER_MAX);
    this.#restMs = Math.max(0, firstMs - this.#pollMs);
    return this.#bounded(firstMs);
  }

  /** How long to wait now that nothing was found, after so long a wait. */
  missed(waitedMs: number): number {
    if (this.#waitedMs !== undefined) this.#waitedMs += waitedMs;
    if (this.#restMs > 0) {
      const restMs = this.#bounded(this.#restMs);
      this.#restMs = 0;
      return restMs;
    }
    this.#earlier = EARLIER;
    const ms = this.#bounded(this.#stepMs);
    this.#stepMs = Math.min(this.#pollMs, this.#stepMs * PATIENCE);
    return ms;
  }

  /** Somebody told of a block: the time since the last one is not known. */
  told(number: number): void {
    this.#number = number;
    this.#waitedMs = undefined;
  }

  #bounded(ms: number): number {
    return Math.min(this.#pollMs, Math.max(LEAST_MS, ms));
  }
}
