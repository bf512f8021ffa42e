import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Lets requests to a chain pass, and can hold them back while something happens that must see the chain and the nodes at the
 * same moment.
 */
export class RequestGate {
  /** Requests that are made in the course of others, and our own, must not wait for those others. */
  readonly #inside = new AsyncLocalStorage<boolean>();
  #underWay = 0;
  #closed: Promise<void> | undefined;
  #isIdle: () => void = () => undefined;

  /** Whether whoever asks is inside of a request that has passed. */
  get isInside(): boolean {
    return this.#inside.getStore() === true;
  }

  /** Runs a request, as soon as the gate is open. */
  async pass<Result>(request: () => Promise<Result>): Promise<Result> {
    while (this.#closed !== undefined) await this.#closed;
    this.#underWay += 1;
    try {
      return await this.enter(request);
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#isIdle();
    }
  }

  /** Runs something whose requests pass in any case. */
  async enter<Result>(run: () => Promise<Result>): Promise<Result> {
    return await this.#inside.run(true, run);
  }

  /** Runs something whose requests are those of anybody, wherever it is called from. */
  leave<Result>(run: () => Result): Result {
    return this.#inside.run(false, run);
  }

  /** Runs something while no request is under way but its own. One at a time. */
  async whileClosed<Result>(run: () => Promise<Result>): Promise<Result> {
    while (this.#closed !== undefined) await this.#closed;
    let open: () => void = () => undefined;
    this.#closed = new Promise((resolve) => {
      open = resolve;
    });
    try {
      while (this.#underWay > 0)
        await new Promise<void>((resolve) => {
          this.#isIdle = resolve;
        });
      return await run();
    } finally {
      this.#closed = undefined;
      open();
    }
  }
}
