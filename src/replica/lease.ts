import type pg from "pg";

import type { Timers } from "../async/timers.ts";
import type { Head } from "../store/log/chain.ts";
import { lost, type ReplicaError } from "./errors.ts";
import { LeaseSession } from "./lease-session.ts";
import {
  findLock,
  type Lock,
  LockWatch,
  mayBeTakenSql,
  tryLock,
  unlock,
} from "./lock.ts";
import type { Takeover } from "./options.ts";
import type { Grant } from "./orders.ts";
import { type BucketRow, headOf } from "./schema.ts";

/** Part of the safe time for which a holder trusts the lease after the last answer: clocks are not exact, and answers take a while. */
const TRUSTED_PART = 0.8;
/** Signs of life in the safe time. */
const PINGS = 4;
/** Pause between attempts to get a lost session back. */
const RETRY_MS = 50;

export interface LeaseOptions {
  readonly url: string;
  readonly schema: string;
  readonly bucket: number;
  /** The replica, for people. */
  readonly name: string;
  /** Of this process alone. */
  readonly instance: string;
  /** After so long without a sign of life the server gives the lease up. */
  readonly leaseMs: number;
  /** For so long a lease stays free for the process that had it last. */
  readonly graceMs: number;
}

/** A lease that was just taken: the log is this process's from the head on. */
export interface Taken {
  readonly epoch: number;
  readonly head: Head;
  readonly takeover: Takeover;
}

/**
 * The right to write one log. It is a lock of the session that writes: whatever ends the session, or lets it be idle for too long,
 * ends the lease. Each taking raises the epoch, and nothing is written under an older one.
 */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #timers: Timers;
  readonly #onLost: (error: ReplicaError) => void;
  readonly #session: LeaseSession;
  readonly #watch: LockWatch;
  #taken: Taken | undefined;
  /** When the last request was sent that the server has answered. */
  #aliveAt = 0;
  #cancelPing: () => void = () => undefined;
  #regaining: Promise<Head | undefined> | undefined;
  /** To get a session back, also if nobody waits for it any more. */
  #attempt: Promise<Head | "later" | undefined> | undefined;
  #taking: Promise<Taken | undefined> | undefined;

  constructor(
    options: LeaseOptions,
    ports: {
      readonly timers: Timers;
      /** The lease is gone for good. Called once for each taking. */
      readonly onLost: (error: ReplicaError) => void;
    },
  ) {
    this.#options = options;
    this.#timers = ports.timers;
    this.#onLost = ports.onLost;
    this.#watch = new LockWatch(options, ports);
    this.#session = new LeaseSession(options, {
      onEnd: (error) => {
        // The server may have been down: then its owner had no chance to take it back.
        this.#watch.forget();
        void this.regain(error);
      },
    });
  }

  /** The lease under which this process writes; undefined if it has none. */
  get taken(): Taken | undefined {
    return this.#taken;
  }

  /** Whether no other process can have it now. Asked before every answer that only the holder may give. */
  get isCertain(): boolean {
    const { ageMs } = this;
    return ageMs !== undefined && ageMs < TRUSTED_PART * this.#safeMs;
  }

  /** Since the last request was sent whose answer proved that it is this process's; undefined if it has none. */
  get ageMs(): number | undefined {
    if (this.#taken === undefined) return undefined;
    return this.#timers.now() - this.#aliveAt;
  }

  /** A session that is idle ends after the lease; one that is ended otherwise is followed by another process after the grace. */
  get #safeMs(): number {
    const { leaseMs, graceMs } = this.#options;
    return Math.min(leaseMs, graceMs);
  }

  /**
   * Takes the lease if it is free: at once if it was given up, or if this process had it last; otherwise after the grace. With a grant, it is
   * taken only from a log that is stopped, as the grant says. Undefined if it cannot be had now.
   */
  async take(grant?: Grant): Promise<Taken | undefined> {
    if (this.#taken !== undefined) return this.#taken;
    this.#taking ??= this.#take(grant).finally(() => {
      this.#taking = undefined;
    });
    return await this.#taking;
  }

  async #take(grant: Grant | undefined): Promise<Taken | undefined> {
    // What was given up while it was regained is over first.
    await this.#regaining;
    await this.#attempt;
    const client = await this.#session.open();
    try {
      const lock = await this.#findLock(client);
      if (grant === undefined && !(await this.#watch.isFree(client, lock)))
        return undefined;
      if (!(await tryLock(client, lock))) return undefined;
      return await this.#begin(client, lock, grant);
    } catch (error) {
      // The session may have the lock still, or may never answer again.
      this.#dropSession(client);
      throw error;
    }
  }

  /** Begins an epoch, with the lock. Undefined if the log is stopped, or not as the grant says. */
  async #begin(
    client: pg.Client,
    lock: Lock,
    grant: Grant | undefined,
  ): Promise<Taken | undefined> {
    const { schema, bucket, name, instance } = this.#options;
    const sentAt = this.#timers.now();
    const isFree =
      grant === undefined
        ? mayBeTakenSql("$2")
        : `state = 'stopped' AND head_hash = $4 AND epoch = coalesce($5, epoch)
           AND NOT EXISTS (SELECT FROM ${schema}.election WHERE election.bucket = $1 AND trusted_until > clock_timestamp())`;
    const granted =
      grant === undefined
        ? []
        : [Buffer.from(grant.hash, "hex"), grant.epoch ?? null];
    const { rows } = await client.query<
      BucketRow & { readonly last: string | null }
    >(
      // Only the holder of the lock changes who the owner is. A wish for which the lease was left once is not granted again.
      `WITH before AS (SELECT instance AS last FROM ${schema}.bucket WHERE bucket = $1)
       UPDATE ${schema}.bucket SET epoch = epoch + 1, owner = $2, instance = $3, heir = NULL,
         wanted = CASE WHEN wanted = heir THEN NULL ELSE wanted END,
         state = 'open', trusted_ms = ${Math.ceil(TRUSTED_PART * this.#safeMs)}, since = clock_timestamp()
       FROM before WHERE bucket = $1 AND ${isFree} RETURNING epoch, head_sequence, head_hash, last`,
      [bucket, name, instance, ...granted],
    );
    const [row] = rows;
    if (row === undefined) {
      await unlock(client, lock);
      return undefined;
    }
    this.#aliveAt = sentAt;
    this.#watch.forget();
    const epoch = Number(row.epoch);
    const takeover = takeoverOf(epoch, row.last, instance);
    this.#taken = { epoch, head: headOf(row), takeover };
    this.#pingLater();
    return this.#taken;
  }

  /** Runs a request on the session that holds the lease, when those before are over. */
  async ask<Row extends pg.QueryResultRow>(
    query: pg.QueryConfig,
  ): Promise<pg.QueryResult<Row>> {
    return await this.#session.inTurn(async () => await this.#ask<Row>(query));
  }

  async #ask<Row extends pg.QueryResultRow>(
    query: pg.QueryConfig,
  ): Promise<pg.QueryResult<Row>> {
    const { client } = this.#session;
    // While it is regained, a session may be there that has no lock yet: an answer of it would prove nothing.
    const isRegaining = this.#regaining !== undefined;
    if (client === undefined || this.#taken === undefined || isRegaining)
      throw lost("it has no session");
    const sentAt = this.#timers.now();
    const result = await client.query<Row>(query);
    this.#aliveAt = Math.max(this.#aliveAt, sentAt);
    return result;
  }

  /**
   * Gives it up, so that others need not wait; all others but the heir do, if there is one. While elections are stopped, it is left to this
   * replica itself. A log that is stopped needs a grant to be opened again. Gives the last turn; undefined if the lease was lost before.
   */
  async release({
    heir,
    stops = false,
  }: {
    readonly heir?: string | undefined;
    readonly stops?: boolean;
  } = {}): Promise<Head | undefined> {
    if (this.#taking !== undefined) await this.#taking.catch(() => undefined);
    const taken = this.#taken;
    const { schema, bucket } = this.#options;
    this.#taken = undefined;
    this.#cancelPing();
    let head: Head | undefined;
    await this.#session.end(async (client) => {
      if (taken !== undefined) {
        const { rows } = await client.query<BucketRow>(
          `UPDATE ${schema}.bucket SET owner = NULL, instance = NULL, since = clock_timestamp(),
             heir = coalesce($3, CASE WHEN is_election_on THEN NULL ELSE owner END),
             state = CASE WHEN $4 THEN 'stopped' ELSE state END
           WHERE bucket = $1 AND epoch = $2 RETURNING epoch, head_sequence, head_hash`,
          [bucket, taken.epoch, heir ?? null, stops],
        );
        const [row] = rows;
        if (row !== undefined) head = headOf(row);
      }
      // The lock goes with the session, which may take a moment to end.
      await client.query(
        `SELECT pg_advisory_unlock_all(), pg_notify('${schema}', 'released')`,
      );
    });
    return head;
  }

  /**
   * Gets the session back after an interruption, for as long as nobody else may have taken the lease. The head says which of the last
   * turns were written. Undefined if the lease is lost, which has been told then.
   */
  async regain(cause: unknown): Promise<Head | undefined> {
    if (this.#taken === undefined) return undefined;
    this.#regaining ??= this.#regain(cause).finally(() => {
      this.#regaining = undefined;
    });
    return await this.#regaining;
  }

  async #regain(cause: unknown): Promise<Head | undefined> {
    const { graceMs, leaseMs } = this.#options;
    const timers = this.#timers;
    this.#cancelPing();
    this.#dropSession();
    // By then another process may have it: the server ended the session, and the grace is over. One that was frozen for longer has a try.
    const end = Math.max(
      this.#aliveAt + leaseMs + graceMs,
      timers.now() + graceMs,
    );
    while (this.#taken !== undefined) {
      const attempt = this.#tryToRegain().catch(() => "later" as const);
      this.#attempt = attempt;
      const head = await Promise.race([
        attempt,
        this.#pause(end - timers.now()),
      ]);
      if (head === undefined) break;
      if (head !== "later") return head;
      if (timers.now() >= end) break;
      await this.#pause(RETRY_MS);
    }
    this.#lose("its session ended, and another process may have it", cause);
    return undefined;
  }

  async #pause(ms: number): Promise<"later"> {
    return await new Promise((resolve) => {
      this.#timers.after(ms, () => {
        resolve("later");
      });
    });
  }

  /** Undefined if another process has taken it. */
  async #tryToRegain(): Promise<Head | "later" | undefined> {
    const taken = this.#taken;
    const client = await this.#session.open();
    const head = await this.#tryToLock(client, taken);
    if (this.#taken === taken && taken !== undefined) return head;
    // It was given up meanwhile, without this session.
    this.#cancelPing();
    this.#dropSession(client);
    return undefined;
  }

  async #tryToLock(
    client: pg.Client,
    taken: Taken | undefined,
  ): Promise<Head | "later" | undefined> {
    const { schema, bucket, instance } = this.#options;
    const lock = await this.#findLock(client);
    const sentAt = this.#timers.now();
    // The old session may still be there for the server: then the lock is its own, for one lease at most.
    if (!(await tryLock(client, lock))) return "later";
    const { rows } = await client.query<BucketRow>(
      `UPDATE ${schema}.bucket SET regained = regained + 1
       WHERE bucket = $1 AND epoch = $2 AND instance = $3 AND state = 'open'
       RETURNING epoch, head_sequence, head_hash`,
      [bucket, taken?.epoch, instance],
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    this.#aliveAt = sentAt;
    this.#pingLater();
    return headOf(row);
  }

  #dropSession(only?: pg.Client): void {
    this.#watch.forget();
    this.#session.drop(only);
  }

  /** Each time anew: a schema that was restored, or is on another server, has a table with another number. */
  async #findLock(client: pg.Client): Promise<Lock> {
    return await findLock(client, this.#options);
  }

  #pingLater(): void {
    this.#cancelPing();
    const everyMs = this.#safeMs / PINGS;
    const dueMs = this.#aliveAt + everyMs - this.#timers.now();
    this.#cancelPing = this.#timers.after(Math.max(1, dueMs), () => {
      void this.#ping();
    });
  }

  /** A sign of life, unless a turn was one. */
  async #ping(): Promise<void> {
    const { schema, bucket } = this.#options;
    const taken = this.#taken;
    if (taken === undefined || this.#session.client === undefined) return;
    if (this.#timers.now() - this.#aliveAt >= this.#safeMs / PINGS) {
      try {
        const { rows } = await this.ask<{ readonly read_only: boolean }>({
          name: "ping",
          text: `SELECT current_setting('transaction_read_only')::bool AS read_only FROM ${schema}.bucket
            WHERE bucket = $1 AND epoch = $2 AND state = 'open'`,
          values: [bucket, taken.epoch],
        });
        const [row] = rows;
        if (row === undefined || row.read_only) {
          this.#lose(
            row === undefined
              ? "another epoch has begun"
              : "the database takes no writes",
          );
          return;
        }
      } catch (error) {
        void this.regain(error);
        return;
      }
    }
    if (this.#taken === taken) this.#pingLater();
  }

  /** Another process has the lease, or may have it. */
  fenced(reason: string, cause?: unknown): ReplicaError {
    return this.#lose(reason, cause);
  }

  #lose(reason: string, cause?: unknown): ReplicaError {
    const error = lost(reason, cause);
    if (this.#taken === undefined) return error;
    this.#taken = undefined;
    this.#cancelPing();
    this.#dropSession();
    this.#onLost(error);
    return error;
  }
}

/** How a process came to the lease, by the instance that had it last and has not given it up. */
function takeoverOf(
  epoch: number,
  last: string | null,
  instance: string,
): Takeover {
  if (epoch === 1) return "start";
  if (last === null) return "handover";
  return last === instance ? "return" : "failover";
}
