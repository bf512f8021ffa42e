/** However fast blocks come, a chain is not asked more often. */
const LEAST_MS = 10;
/** The first look is this part of the time between blocks after the last block was found: a little before the next one. */
const FIRST_LOOK = 0.75;
/** Looks after it are this part of that time apart. */
const NEXT_LOOKS = 0.2;
/** A block that does not come is awaited more and more patiently. */
const PATIENCE = 1.25;

/** Blocks that take more than this many wanted waits are looked for as often as wanted. */
const SLOW = 1.5;
const LEARNED_MAX = 2;

/**
 * Looks for blocks that come faster than somebody wants to look for them: about twice for each. How long they take is learned
 * from the waits between finds, as timestamps of blocks are in whole seconds.
 */
export class Rhythm {
  readonly #pollMs: number;
  /** How long a block takes, up to a bound beyond which there is nothing to learn. */
  #blockMs: number;
  /** Waited since the last find; undefined if nobody knows. */
  #waitedMs: number | undefined;
  #number: number | undefined;
  #stepMs: number;

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
      this.#blockMs = (this.#blockMs + Math.min(sampleMs, mostMs)) / 2;
    }
    this.#number = number;
    this.#waitedMs = 0;
    const isSlow = this.#blockMs > SLOW * this.#pollMs;
    this.#stepMs = isSlow ? this.#pollMs : NEXT_LOOKS * this.#blockMs;
    return isSlow ? this.#pollMs : this.#bounded(FIRST_LOOK * this.#blockMs);
  }

  /** How long to wait now that nothing was found, after so long a wait. */
  missed(waitedMs: number): number {
    if (this.#waitedMs !== undefined) this.#waitedMs += waitedMs;
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
