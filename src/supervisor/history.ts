import type { Queries } from "../replica/postgres-log.ts";
import { type BucketRow, headOf } from "../replica/schema.ts";
import type { Head } from "../store/log/chain.ts";
import type { LogPlace } from "./options.ts";

/** Entries that are kept. */
const ENTRIES_MAX = 1_000;

/** What was done. */
export type Act =
  /** A supervisor found a master of which it did not know. */
  | "found"
  | "revoked"
  | "granted"
  | "refused"
  | "election-stopped"
  | "election-started";

export interface HistoryEntry {
  readonly number: number;
  readonly at: Date;
  readonly act: Act;
  /** Whom it is about; undefined if nobody. */
  readonly replica: string | undefined;
  readonly epoch: number;
  readonly head: Head;
  readonly reason: string;
  /** Who did it. */
  readonly supervisor: string;
}

/** Writes down what was done, with the log as it is then. */
export async function note(
  client: Queries,
  { schema, bucket }: LogPlace,
  entry: Pick<HistoryEntry, "act" | "replica" | "reason" | "supervisor">,
): Promise<void> {
  const { act, replica, reason, supervisor } = entry;
  await client.query({
    text: `INSERT INTO ${schema}.election_history
        (bucket, at, act, replica, epoch, head_sequence, head_hash, reason, supervisor)
      SELECT bucket, clock_timestamp(), $2, $3, epoch, head_sequence, head_hash, $4, $5
      FROM ${schema}.bucket WHERE bucket = $1`,
    values: [bucket, act, replica ?? null, reason, supervisor],
  });
  await client.query({
    text: `DELETE FROM ${schema}.election_history WHERE bucket = $1 AND number <= (
        SELECT number FROM ${schema}.election_history WHERE bucket = $1 ORDER BY number DESC OFFSET $2 LIMIT 1)`,
    values: [bucket, ENTRIES_MAX],
  });
}

interface HistoryRow extends BucketRow {
  readonly number: string;
  readonly at: Date;
  readonly act: Act;
  readonly replica: string | null;
  readonly reason: string;
  readonly supervisor: string;
}

/** The last entries, the newest first; only those of one kind if that is asked for. */
export async function readHistory(
  client: Queries,
  { schema, bucket }: LogPlace,
  { act, countMax }: { readonly act?: Act; readonly countMax: number },
): Promise<readonly HistoryEntry[]> {
  const { rows } = await client.query<HistoryRow>({
    text: `SELECT number, at, act, replica, epoch, head_sequence, head_hash, reason, supervisor
      FROM ${schema}.election_history WHERE bucket = $1 AND act = coalesce($2, act) ORDER BY number DESC LIMIT $3`,
    values: [bucket, act ?? null, countMax],
  });
  return rows.map((row) => ({
    number: Number(row.number),
    at: row.at,
    act: row.act,
    replica: row.replica ?? undefined,
    epoch: Number(row.epoch),
    head: headOf(row),
    reason: row.reason,
    supervisor: row.supervisor,
  }));
}
