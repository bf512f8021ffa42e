import type pg from "pg";

import { Nap } from "../async/nap.ts";
import type { Timers } from "../async/timers.ts";
import { openSession } from "./session.ts";

interface ControlOptions {
  readonly url: string;
  readonly schema: string;
  /** The replica, for people. */
  readonly name: string;
  /** A request that takes longer fails. */
  readonly requestMs: number;
}

/**
 * A session for all that needs no lease: reading the log, and what is for people. It is opened when it is needed, and again after it has
 * failed. Other processes wake it with `NOTIFY`; they may forget to, so nothing depends on that.
 */
export class Control {
  readonly #options: ControlOptions;
  readonly #nap: Nap;
  readonly #wakesUp: (payload: string) => boolean;
  #opening: Promise<pg.Client> | undefined;
  /** The one that was opened last. */
  #client: pg.Client | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(
    options: ControlOptions,
    ports: {
      readonly timers: Timers;
      /** Whether this notification matters now. */
      readonly wakesUp: (payload: string) => boolean;
    },
  ) {
    this.#options = options;
    this.#wakesUp = ports.wakesUp;
    this.#nap = new Nap(ports);
  }

  /**
   * Runs requests on the session, when those before are over. One that fails may leave the session in any state, so the next one gets
   * another.
   */
  async use<Result>(
    act: (client: pg.Client) => Promise<Result>,
  ): Promise<Result> {
    const before = this.#last;
    const result = (async () => {
      await before;
      return await this.#use(act);
    })();
    this.#last = result.catch(() => undefined);
    return await result;
  }

  readonly query = async <Row extends pg.QueryResultRow>(
    query: pg.QueryConfig,
  ): Promise<pg.QueryResult<Row>> =>
    await this.use(async (client) => await client.query<Row>(query));

  /** Resolves after so long, or when this or another process wakes it. */
  readonly sleep = async (ms: number): Promise<void> => {
    await this.#nap.sleep(ms);
  };

  readonly wake = (): void => {
    this.#nap.wake();
  };

  /** All later requests fail. */
  close(): void {
    this.#isClosed = true;
    if (this.#opening !== undefined) this.#drop(this.#opening);
    this.wake();
  }

  async #use<Result>(
    act: (client: pg.Client) => Promise<Result>,
  ): Promise<Result> {
    if (this.#isClosed) throw new Error("The session was closed.");
    const opening = (this.#opening ??= this.#open());
    try {
      return await act(await opening);
    } catch (error) {
      this.#drop(opening);
      throw error;
    }
  }

  async #open(): Promise<pg.Client> {
    const { url, schema, name, requestMs } = this.#options;
    const client: pg.Client = await openSession(
      {
        url,
        name: `hardhat-sequencer ${name} control`,
        idleMs: undefined,
        requestMs,
      },
      () => {
        // The next request opens another one.
        if (this.#client === client) this.#opening = undefined;
      },
    );
    this.#client = client;
    client.on("notification", ({ payload = "" }) => {
      if (this.#wakesUp(payload)) this.wake();
    });
    try {
      await client.query(`LISTEN ${schema}`);
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    return client;
  }

  #drop(opening: Promise<pg.Client>): void {
    if (this.#opening === opening) this.#opening = undefined;
    void opening.then(
      async (client) => {
        await client.end().catch(() => undefined);
      },
      () => undefined,
    );
  }
}
