import { QueryError } from "../store/query.ts";
import type { Turn } from "../store/search.ts";
import { UserError } from "./errors.ts";
import { pace } from "./pace.ts";

/** What queries may take of a node. */
export interface QueryLimits {
  readonly atOnce: number;
  readonly waiting: number;
  readonly workMs: number;
}

export const queryLimits: QueryLimits = {
  /** They share one event loop: more at once would only make each slower. */
  atOnce: 4,
  /** As many as one connection may have under way. */
  waiting: 128,
  /** From the first row that is looked at. 200,000 rows with a few comparisons take a fraction of a second. */
  workMs: 10_000,
};

/** Lets a few queries run at a time, in short pieces, and each for a limited time. */
export class Queries {
  readonly #limits: QueryLimits;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: QueryLimits = queryLimits) {
    this.#limits = limits;
  }

  async run<Result>(query: (turn: Turn) => Promise<Result>): Promise<Result> {
    await this.#enter();
    try {
      return await query(this.#turn());
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  async #enter(): Promise<void> {
    if (this.#running < this.#limits.atOnce) {
      this.#running++;
      return;
    }
    if (this.#waiting.length >= this.#limits.waiting)
      throw new UserError(
        "PD099015",
        `The node is busy: ${this.#running} queries run and ${this.#waiting.length} wait. Try again later`,
      );
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #turn(): Turn {
    const { workMs } = this.#limits;
    const end = performance.now() + workMs;
    return async () => {
      if (performance.now() >= end)
        throw new QueryError(
          `The query was stopped after ${workMs} ms. Use fewer comparisons, like in particular, or a smaller limit`,
        );
      await pace.turn();
    };
  }
}
