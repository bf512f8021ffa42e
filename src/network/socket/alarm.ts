import type { Timers } from "../../async/timers.ts";

/** One timer that can be set anew. */
export class Alarm {
  readonly #timers: Timers;
  #pending:
    | {
        readonly atMs: number;
        readonly ring: () => void;
        readonly cancel: () => void;
      }
    | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Instead of what it was set to before. */
  set(ms: number, ring: () => void): void {
    this.clear();
    const cancel = this.#timers.after(ms, () => {
      this.#pending = undefined;
      ring();
    });
    this.#pending = { atMs: this.#timers.now() + ms, ring, cancel };
  }

  /** If it is set, it rings after so many milliseconds at the latest. */
  hasten(ms: number): void {
    const pending = this.#pending;
    if (pending !== undefined && pending.atMs > this.#timers.now() + ms)
      this.set(ms, pending.ring);
  }

  clear(): void {
    this.#pending?.cancel();
    this.#pending = undefined;
  }
}
