import type pg from "pg";

import type { Timers } from "../async/timers.ts";
import { ReplicaError } from "./errors.ts";

/** The lock of a lease as the server shows it: the table, and the number of the bucket. */
export interface Lock {
  readonly table: number;
  readonly bucket: number;
}

/**
 * A condition of SQL: this row of `pg_locks` is the lock of a bucket.
 * @param table An expression: the number of the table.
 * @param bucket An expression: the number of the bucket.
 */
export function isLockSql(table: string, bucket: string): string {
  return `pg_locks.locktype = 'advisory' AND pg_locks.granted AND pg_locks.objsubid = 2
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND pg_locks.classid = ${table} AND pg_locks.objid = ${bucket}::oid`;
}

/** A condition of SQL: some session has the lock of the bucket in this row. It needs the number of the table. */
export function isLockedSql(table: string): string {
  return `EXISTS (SELECT 1 FROM pg_locks WHERE ${isLockSql(table, "bucket")})`;
}

/**
 * A condition of SQL: a replica may take the lease of the bucket in this row when nobody has it. While elections are stopped, only the one
 * that had it last may, or the one to which it was left.
 */
export function mayBeTakenSql(name: string): string {
  return `state = 'open' AND (is_election_on OR coalesce(coalesce(owner, heir) = ${name}, false))`;
}

/**
 * Two numbers, the first one of our own table: no other software can use the same ones by accident.
 * @param table Of the lease, or of the duty to supervise it.
 */
export async function findLock(
  client: pg.Client,
  { schema, bucket }: { readonly schema: string; readonly bucket: number },
  table: "bucket" | "election" = "bucket",
): Promise<Lock> {
  const { rows } = await client.query<{ readonly table: number }>(
    `SELECT '${schema}.${table}'::regclass::oid::int AS table`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("PostgreSQL gave no answer.");
  return { table: row.table, bucket };
}

interface LockWatchOptions {
  readonly schema: string;
  readonly name: string;
  /** Of this process alone. */
  readonly instance: string;
  readonly graceMs: number;
}

/** The lock at one moment. */
interface Look {
  readonly isLocked: boolean;
  readonly isOffered: boolean;
  /** The log is open, and elections are on or this replica had the lease last. */
  readonly mayBeTaken: boolean;
  /** Another one when it was taken since, or taken again by its owner, which nobody else may have seen. */
  readonly taking: string;
}

/**
 * Whether a process has the lock, and whether a replica may take it without waiting: its last owner has given it up, to nobody else, or
 * was this process.
 */
async function lookAt(
  client: pg.Client,
  { table, bucket }: Lock,
  { schema, instance, name }: LockWatchOptions,
): Promise<Look> {
  const { rows } = await client.query<{
    readonly taking: string;
    readonly is_locked: boolean;
    readonly is_offered: boolean;
    readonly may_be_taken: boolean;
  }>(
    `SELECT format('%s %s', epoch, regained) AS taking, ${isLockedSql("$2::int::oid")} AS is_locked,
       (owner IS NULL AND coalesce(heir, $4) = $4) OR coalesce(instance = $3, false) AS is_offered,
       ${mayBeTakenSql("$4")} AS may_be_taken
     FROM ${schema}.bucket WHERE bucket = $1`,
    [bucket, table, instance, name],
  );
  const [row] = rows;
  if (row === undefined)
    throw new ReplicaError(
      "SCHEMA",
      `The schema ${schema} has no bucket ${bucket}. Prepare it first.`,
    );
  return {
    isLocked: row.is_locked,
    isOffered: row.is_offered,
    mayBeTaken: row.may_be_taken,
    taking: row.taking,
  };
}

/** Looks at a lock that others may have, and says when this process may try to take it. */
export class LockWatch {
  readonly #options: LockWatchOptions;
  readonly #timers: Timers;
  /** Since when nobody has had it, as far as this process has seen. */
  #free: { readonly since: number; readonly taking: string } | undefined;

  constructor(options: LockWatchOptions, ports: { readonly timers: Timers }) {
    this.#options = options;
    this.#timers = ports.timers;
  }

  /** Whether it was given up, or has been free for the grace. */
  async isFree(client: pg.Client, lock: Lock): Promise<boolean> {
    const look = await lookAt(client, lock, this.#options);
    const { isLocked, isOffered, mayBeTaken, taking } = look;
    const now = this.#timers.now();
    // Somebody may have had it between two looks, and may still answer.
    if (isLocked || this.#free?.taking !== taking)
      this.#free = isLocked ? undefined : { since: now, taking };
    if (isLocked || !mayBeTaken) return false;
    if (isOffered) return true;
    return (
      this.#free !== undefined &&
      now - this.#free.since >= this.#options.graceMs
    );
  }

  /** The time from now to the next look counts for nothing. */
  forget(): void {
    this.#free = undefined;
  }
}

export async function tryLock(
  client: pg.Client,
  { table, bucket }: Lock,
): Promise<boolean> {
  const { rows } = await client.query<{ readonly is_locked: boolean }>(
    "SELECT pg_try_advisory_lock($1, $2) AS is_locked",
    [table, bucket],
  );
  return rows[0]?.is_locked === true;
}

export async function unlock(
  client: pg.Client,
  { table, bucket }: Lock,
): Promise<void> {
  await client.query("SELECT pg_advisory_unlock($1, $2)", [table, bucket]);
}
