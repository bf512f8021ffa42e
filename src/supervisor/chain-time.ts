import type { Timers } from "../async/timers.ts";

/** A longer pause between blocks counts as this: the chain stood still then. Chains with slower blocks have slower time. */
const BLOCK_MS_MAX = 30_000;

/** The time in which the chain moves. While it stands still for everybody, nothing is late that waits for it. */
export class ChainTime {
  readonly #timers: Timers;
  #head = -1;
  #movedAt: number;
  #movedMs = 0;

  constructor(ports: { readonly timers: Timers }) {
    this.#timers = ports.timers;
    this.#movedAt = ports.timers.now();
  }

  /** When the last new block was seen. */
  get movedMs(): number {
    return this.#movedMs;
  }

  /** Now. */
  now(): number {
    const sinceMs = this.#timers.now() - this.#movedAt;
    return this.#movedMs + Math.min(sinceMs, BLOCK_MS_MAX);
  }

  /** The chain was at this block just now. */
  see(head: number): void {
    if (head === this.#head) return;
    this.#movedMs = this.now();
    this.#movedAt = this.#timers.now();
    this.#head = head;
  }
}
