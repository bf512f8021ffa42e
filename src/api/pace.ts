/**
 * How long users' requests have the event loop, in milliseconds, before others get it: short against the 50 ms that nobody may
 * hold it, since the last piece of work may take as long again.
 */
const sliceMs = 10;

interface Waiting {
  readonly start: () => void;
  /** What it starts goes on after the microtasks that are queued, and cannot be measured here. */
  readonly takesRest: boolean;
}

/**
 * Shares the event loop between users' requests and everything else. All nodes of a process share the loop, so they share
 * the {@link pace} too.
 */
export class Pace {
  readonly #waiting: Waiting[] = [];
  #sliceEnd: number | undefined;
  #now: () => number = () => performance.now();

  /** Measures slices by another clock, as of a simulation, until the returned function is called. */
  measureBy(now: () => number): () => void {
    const before = this.#now;
    this.#now = now;
    return () => {
      this.#now = before;
    };
  }

  /** Runs the work now, or when the loop had time for others. */
  async run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    if (this.#hasTime()) return await work();
    return await new Promise((resolve, reject) => {
      const start = (): void => {
        try {
          resolve(work());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      this.#waiting.push({ start, takesRest: false });
    });
  }

  /** Resolves at once, or when the loop had time for others. For work in a loop, between two pieces of it. */
  async turn(): Promise<void> {
    if (this.#hasTime()) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push({ start: resolve, takesRest: true });
    });
  }

  #hasTime(): boolean {
    if (this.#sliceEnd === undefined) {
      this.#begin();
      return true;
    }
    return this.#waiting.length === 0 && this.#now() < this.#sliceEnd;
  }

  #begin(): void {
    this.#sliceEnd = this.#now() + sliceMs;
    setImmediate(() => {
      this.#sliceEnd = undefined;
      if (this.#waiting.length > 0) this.#startWaiting();
    });
  }

  #startWaiting(): void {
    this.#begin();
    while (this.#now() < (this.#sliceEnd ?? 0)) {
      const next = this.#waiting.shift();
      next?.start();
      if (next === undefined || next.takesRest) return;
    }
  }
}

export const pace = new Pace();
