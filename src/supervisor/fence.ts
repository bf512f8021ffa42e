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
    text: `UPDATE ${schema}.bucket SET epoch = epoch + 1, state = 'stopped', owner = NULL, instance = NULL, heir = NULL,
        since = clock_timestamp()
      WHERE bucket = $1 AND epoch = $2 AND state = 'open' AND (is_election_on OR $3)`,
    values: [bucket, epoch, isWished],
  });
  return rowCount === 1;
}

/** Ends the session that has the lock of a stopped log. Its process may be frozen, or not know yet that it is over. */
export async function endHolder(
  client: Queries,
  { schema, bucket }: LogPlace,
): Promise<void> {
  await client.query({
    text: `SELECT pg_terminate_backend(pid) FROM pg_locks, ${schema}.bucket
      WHERE bucket = $1 AND state = 'stopped' AND locktype = 'advisory' AND granted AND objsubid = 2
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND classid = '${schema}.bucket'::regclass::oid AND objid = bucket::oid AND pid <> pg_backend_pid()`,
    values: [bucket],
  });
}
