import type { Timers } from "../async/timers.ts";
import type { Head } from "../store/log/chain.ts";

/** Permission to open a stopped log again. */
export interface Grant {
  /** Of the last turn before the log was stopped, and so of the replica's own last turn. */
  readonly hash: string;
  /** The epoch under which it was stopped; undefined: any. Two grants for one epoch begin one. */
  readonly epoch: number | undefined;
}

/** Why a replica does not do what it was told. */
export type OrderProblem =
  | "not-active"
  | "not-asked"
  | "not-passive"
  | "other-hash"
  | "not-stopped"
  | "late";

/** A replica does not do what it was told, and has changed nothing. */
export class OrderRefusal extends Error {
  override readonly name = "OrderRefusal";
  readonly problem: OrderProblem;

  constructor(problem: OrderProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

interface Pending {
  readonly grant: Grant;
  readonly settle: (epoch: number | OrderRefusal) => void;
}

/** The grant that a replica was given, until it has begun or is refused. */
export class Grants {
  readonly #waitMs: number;
  readonly #timers: Timers;
  #pending: Pending | undefined;

  constructor(
    options: { readonly waitMs: number },
    ports: { readonly timers: Timers },
  ) {
    this.#waitMs = options.waitMs;
    this.#timers = ports.timers;
  }

  /** Resolves with the epoch that was begun. Throws an {@link OrderRefusal}. */
  async ask(grant: Grant): Promise<number> {
    this.refuse("late", "another grant has come");
    return await new Promise((resolve, reject) => {
      const cancel = this.#timers.after(this.#waitMs, () => {
        this.refuse(
          "late",
          `the replica could not catch up within ${this.#waitMs} ms`,
        );
      });
      const settle = (outcome: number | OrderRefusal): void => {
        if (this.#pending?.settle === settle) this.#pending = undefined;
        cancel();
        if (typeof outcome === "number") resolve(outcome);
        else reject(outcome);
      };
      this.#pending = { grant, settle };
    });
  }

  /** Refuses what is pending. */
  refuse(problem: OrderProblem, reason: string): void {
    this.#pending?.settle(new OrderRefusal(problem, reason));
  }

  /**
   * Tries to begin what is pending, on a store that has all turns of the log. Undefined if nothing is, or it was refused.
   * @param begin Gives undefined if the log is not stopped there.
   */
  async begin<Taken extends { readonly epoch: number }>(
    head: Head,
    begin: (grant: Grant) => Promise<Taken | undefined>,
  ): Promise<Taken | undefined> {
    const pending = this.#pending;
    if (pending === undefined) return undefined;
    const { grant, settle } = pending;
    if (grant.hash !== head.hash) {
      this.refuse(
        "other-hash",
        `the last turn of this replica is ${head.sequence} with the hash ${head.hash}, and not ${grant.hash}`,
      );
      return undefined;
    }
    const taken = await begin(grant);
    // It may have been given up meanwhile; what has begun has begun.
    if (taken !== undefined) {
      settle(taken.epoch);
      this.refuse("not-passive", "this replica has begun with another grant");
    } else if (this.#pending === pending)
      this.refuse(
        "not-stopped",
        "the log is not stopped with this hash under this epoch, another process has its lock still, or its last master may still answer",
      );
    return taken;
  }
}
