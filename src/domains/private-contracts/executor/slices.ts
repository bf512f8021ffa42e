import { bounds } from "../bounds.ts";
import type { Pace } from "../evm/pace.ts";
import { Declined } from "./job.ts";

/** Jobs of one thread, each of which runs for a slice of time at a time, in turn. */
export class Slices {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Does a job when it is its turn; `onTurn` is called whenever it goes on. */
  async run<Result>(
    options: { readonly budgetMs: number; readonly onTurn: () => void },
    work: (pace: Pace) => Promise<Result>,
  ): Promise<Result> {
    // New jobs come first: most are short.
    if (this.#isTaken) await this.#wait("first");
    this.#isTaken = true;
    options.onTurn();
    try {
      return await work(this.#newPace(options));
    } finally {
      this.#pass();
    }
  }

  #newPace({
    budgetMs,
    onTurn,
  }: {
    readonly budgetMs: number;
    readonly onTurn: () => void;
  }): Pace {
    let usedMs = 0;
    let since = performance.now();
    const pause = async (): Promise<void> => {
      // Messages come between two turns of the event loop.
      setImmediate(() => {
        this.#pass();
      });
      await this.#wait("last");
      since = performance.now();
      onTurn();
    };
    return () => {
      const elapsedMs = performance.now() - since;
      if (elapsedMs < bounds.sliceMs) return undefined;
      usedMs += elapsedMs;
      if (usedMs > budgetMs)
        throw new Declined(
          `It took too long: this node gives it ${Math.round(budgetMs / 1_000)} seconds.`,
        );
      return pause();
    };
  }

  /** Waits until the thread is given to it. */
  async #wait(place: "first" | "last"): Promise<void> {
    await new Promise<void>((resolve) => {
      if (place === "first") this.#waiting.unshift(resolve);
      else this.#waiting.push(resolve);
    });
  }

  /** The next one goes on. */
  #pass(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
