import { isLockedSql } from "../replica/lock.ts";
import type { Queries } from "../replica/postgres-log.ts";
import type { ShownRole } from "../replica/presence.ts";
import { type BucketRow, headOf } from "../replica/schema.ts";
import type { Head } from "../store/log/chain.ts";
import type { Wish } from "./election.ts";
import type { LogPlace } from "./options.ts";

/** For so long a wish of an operator counts. */
export const WISH_MS = 20_000;

/** A log and its election, as the schema has them at one moment. */
export interface ElectionView {
  readonly epoch: number;
  readonly head: Head;
  readonly isStopped: boolean;
  readonly isElectionOn: boolean;
  /** The replica that has the lease; undefined if none has. */
  readonly master: string | undefined;
  /** Whether some session has the lock of the lease. */
  readonly isLocked: boolean;
  /** Since the owner changed, by the clock of the database. */
  readonly tenureMs: number;
  /** For so long the last master of a log that was stopped without it may still answer. */
  readonly trustedForMs: number;
  readonly wish: (Wish & { readonly number: number }) | undefined;
  /** The one that has the duty; undefined if none has. */
  readonly supervisor:
    { readonly name: string; readonly rpc: string | undefined } | undefined;
  /** The last epoch whose master is in the history. */
  readonly notedEpoch: number | undefined;
  readonly replicas: readonly KnownReplica[];
}

/** A replica, as it presents itself. */
export interface KnownReplica {
  readonly name: string;
  readonly role: ShownRole;
  readonly rpc: string | undefined;
  /** Where operators reach it; undefined if it has no server for them. */
  readonly operatorRpc: string | undefined;
  readonly seenMsAgo: number;
  /** The number of its last tenure in the history; 0 if it had none. */
  readonly lastTenure: number;
}

interface ViewRow extends BucketRow {
  readonly owner: string | null;
  readonly state: string;
  readonly is_election_on: boolean;
  readonly is_locked: boolean;
  readonly is_supervised: boolean;
  readonly tenure_ms: number;
  readonly trusted_for_ms: number | null;
  readonly supervisor: string | null;
  readonly supervisor_rpc: string | null;
  readonly wish: string;
  readonly wanted: string | null;
  readonly is_forced: boolean;
  readonly noted: string | null;
}

interface KnownRow {
  readonly name: string;
  readonly role: ShownRole;
  readonly rpc: string | null;
  readonly operator_rpc: string | null;
  readonly seen_ms_ago: number;
  readonly last_tenure: string | null;
}

/** Acts of the history after which a replica has, or should have, the lease. */
const TENURES = "act IN ('granted', 'found')";

export async function readElection(
  client: Queries,
  { schema, bucket }: LogPlace,
): Promise<ElectionView> {
  const { rows } = await client.query<ViewRow>({
    text: `SELECT epoch, head_sequence, head_hash, owner, state, is_election_on,
        ${isLockedSql(`'${schema}.bucket'::regclass::oid`)} AS is_locked,
        ${isLockedSql(`'${schema}.election'::regclass::oid`)} AS is_supervised,
        (extract(epoch FROM clock_timestamp() - since) * 1000)::float8 AS tenure_ms,
        (extract(epoch FROM trusted_until - clock_timestamp()) * 1000)::float8 AS trusted_for_ms,
        supervisor, supervisor_rpc, wish, is_forced,
        CASE WHEN election.wanted_at > clock_timestamp() - ${WISH_MS} * interval '1 millisecond' THEN election.wanted END AS wanted,
        (SELECT max(epoch) FROM ${schema}.election_history AS history
           WHERE history.bucket = $1 AND act = 'found') AS noted
      FROM ${schema}.bucket JOIN ${schema}.election USING (bucket) WHERE bucket = $1`,
    values: [bucket],
  });
  const [row] = rows;
  if (row === undefined)
    throw new Error(`The schema ${schema} has no election for ${bucket}.`);
  const { rows: replicas } = await client.query<KnownRow>({
    text: `SELECT name, role, rpc, operator_rpc,
        (extract(epoch FROM clock_timestamp() - seen) * 1000)::float8 AS seen_ms_ago,
        (SELECT max(number) FROM ${schema}.election_history WHERE bucket = $1 AND replica = name AND ${TENURES}) AS last_tenure
      FROM ${schema}.replica ORDER BY name`,
    values: [bucket],
  });
  return viewOf(row, replicas);
}

function viewOf(row: ViewRow, replicas: readonly KnownRow[]): ElectionView {
  const { owner, supervisor, supervisor_rpc, wanted, noted } = row;
  const isOnDuty = row.is_supervised && supervisor !== null;
  return {
    epoch: Number(row.epoch),
    head: headOf(row),
    isStopped: row.state === "stopped",
    isElectionOn: row.is_election_on,
    master: row.is_locked ? (owner ?? undefined) : undefined,
    isLocked: row.is_locked,
    tenureMs: row.tenure_ms,
    trustedForMs: Math.max(0, row.trusted_for_ms ?? 0),
    wish:
      wanted === null
        ? undefined
        : { number: Number(row.wish), name: wanted, isForced: row.is_forced },
    supervisor: isOnDuty
      ? { name: supervisor, rpc: supervisor_rpc ?? undefined }
      : undefined,
    notedEpoch: noted === null ? undefined : Number(noted),
    replicas: replicas.map((one) => ({
      name: one.name,
      role: one.role,
      rpc: one.rpc ?? undefined,
      operatorRpc: one.operator_rpc ?? undefined,
      seenMsAgo: one.seen_ms_ago,
      lastTenure: Number(one.last_tenure ?? 0),
    })),
  };
}
