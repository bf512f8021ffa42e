import type { Timers } from "../../async/timers.ts";

/** One timer that can be set anew. */
export class Alarm {
  readonly #timers: Timers;
  #cancel: (() => void) | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Instead of what it was set to before. */
  set(ms: number, ring: () => void): void {
    this.#cancel?.();
    this.#cancel = this.#timers.after(ms, () => {
      this.#cancel = undefined;
      ring();
    });
  }

  clear(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
