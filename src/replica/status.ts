import { isLockedSql } from "./lock.ts";
import type { Queries } from "./postgres-log.ts";
import type { ShownRole } from "./presence.ts";

/** The replicas of a node, as its schema shows them. */
export interface ReplicaStatus {
  /** Grows whenever a process takes the lease. */
  readonly epoch: number;
  /** The replica that has the lease; undefined if none has. */
  readonly active: string | undefined;
  /** Since when it has it, or none has. */
  readonly since: Date;
  /** The last turn of the log. */
  readonly headSequence: number;
  /** Whether the log is stopped, so that nobody is active without a grant. */
  readonly isStopped: boolean;
  /** The last turn of the newest snapshot. */
  readonly snapshotSequence: number | undefined;
  readonly replicas: readonly OneReplica[];
}

export interface OneReplica {
  readonly name: string;
  /** As it said itself when it was seen. */
  readonly role: ShownRole;
  readonly version: string;
  readonly rpc: string | undefined;
  readonly peersAddress: string | undefined;
  readonly appliedSequence: number;
  /** Turns that it had not applied when it was seen, of those that there are now. */
  readonly lag: number;
  readonly seenMsAgo: number;
}

interface BucketStatusRow {
  readonly epoch: string;
  readonly owner: string | null;
  readonly since: Date;
  readonly state: string;
  readonly head_sequence: string;
  readonly is_locked: boolean;
  readonly snapshot: string | null;
}

interface ReplicaRow {
  readonly name: string;
  readonly role: ShownRole;
  readonly version: string;
  readonly rpc: string | null;
  readonly peers_address: string | null;
  readonly applied_sequence: string;
  readonly seen_ms_ago: number;
}

/** Reads who is active, and how far all replicas are. */
export async function readStatus(
  client: Queries,
  { schema, bucket }: { readonly schema: string; readonly bucket: number },
): Promise<ReplicaStatus> {
  const { rows } = await client.query<BucketStatusRow>({
    text: `SELECT epoch, owner, since, state, head_sequence,
        ${isLockedSql(`'${schema}.bucket'::regclass::oid`)} AS is_locked,
        (SELECT max(sequence) FROM ${schema}.snapshot WHERE snapshot.bucket = $1) AS snapshot
      FROM ${schema}.bucket WHERE bucket = $1`,
    values: [bucket],
  });
  const [row] = rows;
  if (row === undefined)
    throw new Error(`The schema ${schema} has no bucket ${bucket}.`);
  const { rows: replicas } = await client.query<ReplicaRow>({
    text: `SELECT name, role, version, rpc, peers_address, applied_sequence,
        (extract(epoch FROM clock_timestamp() - seen) * 1000)::float8 AS seen_ms_ago
      FROM ${schema}.replica ORDER BY name`,
  });
  const headSequence = Number(row.head_sequence);
  return {
    epoch: Number(row.epoch),
    active: row.is_locked ? (row.owner ?? undefined) : undefined,
    since: row.since,
    headSequence,
    isStopped: row.state === "stopped",
    snapshotSequence: row.snapshot === null ? undefined : Number(row.snapshot),
    replicas: replicas.map((one) => ({
      name: one.name,
      role: one.role,
      version: one.version,
      rpc: one.rpc ?? undefined,
      peersAddress: one.peers_address ?? undefined,
      appliedSequence: Number(one.applied_sequence),
      lag: Math.max(0, headSequence - Number(one.applied_sequence)),
      seenMsAgo: one.seen_ms_ago,
    })),
  };
}
