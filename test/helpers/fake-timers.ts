import type { Timers } from "../../src/async/timers.ts";

/** Timers for tests: nothing happens until the test says how far time goes. */
export class FakeTimers implements Timers {
  #nowMs = 0;
  #next = 0;
  readonly #pending = new Map<
    number,
    { readonly atMs: number; readonly run: () => void }
  >();

  readonly after = (ms: number, run: () => void): (() => void) => {
    const number = this.#next++;
    this.#pending.set(number, { atMs: this.#nowMs + ms, run });
    return () => {
      this.#pending.delete(number);
    };
  };

  readonly now = (): number => this.#nowMs;

  /** How many timers wait. */
  get size(): number {
    return this.#pending.size;
  }

  /** Lets time pass. What is due runs in order; what that starts runs too, if it is due by then. */
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const due = [...this.#pending]
        .filter(([, { atMs }]) => atMs <= untilMs)
        .sort(([a, one], [b, other]) => one.atMs - other.atMs || a - b)[0];
      if (due === undefined) break;
      const [number, { atMs, run }] = due;
      this.#pending.delete(number);
      this.#nowMs = atMs;
      run();
    }
    this.#nowMs = untilMs;
  }
}
