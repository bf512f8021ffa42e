import type pg from "pg";

import { openSession } from "./session.ts";

interface LeaseSessionOptions {
  readonly url: string;
  /** The replica, for people. */
  readonly name: string;
  readonly leaseMs: number;
}

/** The session that holds a lease, or wants it: opened when it is needed, and dropped as soon as anything is wrong with it. */
export class LeaseSession {
  readonly #options: LeaseSessionOptions;
  readonly #onEnd: (error: Error | undefined) => void;
  #client: pg.Client | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    options: LeaseSessionOptions,
    ports: {
      /** It ended, and nobody has dropped it. */
      readonly onEnd: (error: Error | undefined) => void;
    },
  ) {
    this.#options = options;
    this.#onEnd = ports.onEnd;
  }

  get client(): pg.Client | undefined {
    return this.#client;
  }

  async open(): Promise<pg.Client> {
    if (this.#client !== undefined) return this.#client;
    const { url, name, leaseMs } = this.#options;
    const client: pg.Client = await openSession(
      {
        url,
        name: `hardhat-sequencer ${name}`,
        idleMs: leaseMs,
        requestMs: leaseMs,
      },
      (error) => {
        if (this.#client !== client) return;
        this.#client = undefined;
        this.#onEnd(error);
      },
    );
    this.#client = client;
    return client;
  }

  /** Its lock goes with it, as soon as the server notices. */
  drop(only = this.#client): void {
    if (this.#client !== only) return;
    this.#client = undefined;
    void only?.end().catch(() => undefined);
  }

  /** Does something when all before it is done: a session takes one request at a time. */
  async inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const before = this.#last;
    const result = (async () => {
      await before;
      return await act();
    })();
    this.#last = result.catch(() => undefined);
    return await result;
  }

  /** Ends it after some last requests. */
  async end(ask: (client: pg.Client) => Promise<unknown>): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    try {
      await this.inTurn(async () => await ask(client));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
