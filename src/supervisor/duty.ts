import type pg from "pg";

import { Nap } from "../async/nap.ts";
import type { Timers } from "../async/timers.ts";
import { findLock, tryLock } from "../replica/lock.ts";
import { openSession } from "../replica/session.ts";
import type { LogPlace } from "./options.ts";

/** A server that does not answer by then is not waited for. */
const CLOSE_MS = 1_000;

interface DutyOptions extends LogPlace {
  readonly url: string;
  readonly name: string;
  /** After so long without a request the server gives the duty to another supervisor. */
  readonly dutyMs: number;
}

/**
 * The right to supervise one log: a lock of a session of its own. Everything that a supervisor writes goes through this session, so that one
 * that has lost its duty writes nothing.
 */
export class Duty {
  readonly #options: DutyOptions;
  readonly #timers: Timers;
  readonly #nap: Nap;
  #client: pg.Client | undefined;
  #isHeld = false;

  constructor(options: DutyOptions, ports: { readonly timers: Timers }) {
    this.#options = options;
    this.#timers = ports.timers;
    this.#nap = new Nap(ports);
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /**
   * The session with the duty; undefined if another supervisor has it.
   * @param rpc Where operators reach this supervisor, for people.
   */
  async take(rpc: string | undefined): Promise<pg.Client | undefined> {
    const client = (this.#client ??= await this.#open());
    if (this.#isHeld) return client;
    const { schema, bucket, name } = this.#options;
    const lock = await findLock(client, this.#options, "election");
    if (!(await tryLock(client, lock))) return undefined;
    await client.query(
      `UPDATE ${schema}.election SET supervisor = $2, supervisor_rpc = $3, revoking = NULL WHERE bucket = $1`,
      [bucket, name, rpc ?? null],
    );
    this.#isHeld = true;
    return client;
  }

  /** Gives the session up, and the duty with it, as soon as the server notices. */
  drop(): void {
    void this.#end();
  }

  /** The same; resolves when the server has noticed, or does not answer. */
  async close(): Promise<void> {
    await Promise.race([
      this.#end(),
      new Promise<void>((resolve) => {
        this.#timers.after(CLOSE_MS, resolve);
      }),
    ]);
  }

  async #end(): Promise<void> {
    const client = this.#client;
    this.#forget();
    await client?.end().catch(() => undefined);
  }

  /** Resolves after so long, or when this or another process wakes it. */
  readonly sleep = async (ms: number): Promise<void> => {
    await this.#nap.sleep(ms);
  };

  readonly wake = (): void => {
    this.#nap.wake();
  };

  #forget(): void {
    this.#client = undefined;
    this.#isHeld = false;
  }

  async #open(): Promise<pg.Client> {
    const { url, schema, name, dutyMs } = this.#options;
    const client: pg.Client = await openSession(
      {
        url,
        name: `hardhat-sequencer supervisor ${name}`,
        idleMs: dutyMs,
        requestMs: dutyMs,
      },
      () => {
        if (this.#client === client) this.#forget();
      },
    );
    client.on("notification", ({ payload }) => {
      // Roles change when a lease is released; operators change the election.
      if (payload === "election" || payload === "released") this.wake();
    });
    await client.query(`LISTEN ${schema}`);
    return client;
  }
}
