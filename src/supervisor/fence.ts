import { isLockSql } from "../replica/lock.ts";
import type { Queries } from "../replica/postgres-log.ts";
import type { LogPlace } from "./options.ts";

/** An epoch that ends. */
export interface Ending extends LogPlace {
  readonly epoch: number;
  /** Operators may end it also while elections are stopped. */
  readonly isWished: boolean;
}

/**
 * Says in the schema that an epoch is about to be ended; its master asks for that before it stops. False if the epoch is another one by
 * now, the log is stopped already, or elections are.
 */
export async function announceEnd(
  client: Queries,
  { schema, bucket, epoch, isWished }: Ending,
): Promise<boolean> {
  const { rowCount } = await client.query({
    text: `UPDATE ${schema}.election SET revoking = epoch FROM ${schema}.bucket
      WHERE election.bucket = $1 AND bucket.bucket = $1 AND epoch = $2 AND state = 'open' AND (is_election_on OR $3)`,
    values: [bucket, epoch, isWished],
  });
  return rowCount === 1;
}

/**
 * Stops a log without its master: raises the epoch, so that nothing is appended under the old one. False as above.
 */
export async function stopLog(
  client: Queries,
  { schema, bucket, epoch, isWished }: Ending,
): Promise<boolean> {
  const { rowCount } = await client.query({
    text: `WITH stopped AS (
        UPDATE ${schema}.bucket SET epoch = epoch + 1, state = 'stopped', owner = NULL, instance = NULL, heir = NULL,
          since = clock_timestamp()
        WHERE bucket = $1 AND epoch = $2 AND state = 'open' AND (is_election_on OR $3) RETURNING bucket, trusted_ms
      )
      UPDATE ${schema}.election SET trusted_until = clock_timestamp() + trusted_ms * interval '1 millisecond'
      FROM stopped WHERE election.bucket = stopped.bucket`,
    values: [bucket, epoch, isWished],
  });
  return rowCount === 1;
}

/** A condition of SQL: the session with this lock has the lease of the bucket in this row. */
function isLeaseSql(schema: string): string {
  const isLock = isLockSql(
    `'${schema}.bucket'::regclass::oid`,
    "bucket.bucket",
  );
  return `${isLock} AND pg_locks.pid <> pg_backend_pid()`;
}

/**
 * Ends the session that has the lock of a stopped log. Its process may be frozen, or not know yet that it is over; for as long as it trusts its
 * lease after the last sign of life, it may answer, and nobody else begins. The server knows when that sign came.
 */
export async function endHolder(
  client: Queries,
  { schema, bucket }: LogPlace,
): Promise<void> {
  await client.query({
    text: `UPDATE ${schema}.election SET trusted_until = least(trusted_until, query_start + trusted_ms * interval '1 millisecond')
      FROM ${schema}.bucket, pg_locks JOIN pg_stat_activity USING (pid)
      WHERE election.bucket = $1 AND bucket.bucket = $1 AND bucket.state = 'stopped' AND query_start IS NOT NULL AND ${isLeaseSql(schema)}`,
    values: [bucket],
  });
  await client.query({
    text: `SELECT pg_terminate_backend(pid) FROM pg_locks, ${schema}.bucket
      WHERE bucket = $1 AND state = 'stopped' AND ${isLeaseSql(schema)}`,
    values: [bucket],
  });
}
