import { createHash, randomUUID } from "node:crypto";
import { createReadStream, rmSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";

import { machineTimers } from "../async/timers.ts";
import { createPrivately } from "../store/create-privately.ts";
import type { Disk } from "../store/disk.ts";
import { appliedSql, writeAppliedSql } from "../store/log/applied.ts";
import { emptyHead, type Head, headAfter } from "../store/log/chain.ts";
import { ReplicaError } from "./errors.ts";
import { Lease, type Taken } from "./lease.ts";
import type { ReplicaOptions } from "./options.ts";
import { listSnapshots } from "./restore.ts";
import { openSession } from "./session.ts";
import { readRange } from "./turns.ts";
import { lockSnapshots, type StoredParts, storeParts } from "./snapshot.ts";

/** How often the lease is asked for. */
const LOOK_MS = 50;
/** Pages that are copied at a time. */
const PAGES = 1_000;

interface ImportOptions extends Pick<
  ReplicaOptions,
  "url" | "schema" | "bucket" | "name" | "leaseMs" | "graceMs"
> {
  /** A name in a folder for the same eyes only: the store is copied there. */
  readonly draft: string;
  /** A request that takes longer fails. */
  readonly requestMs: number;
}

/** A store that has become the first snapshot of a log. */
export interface Imported {
  readonly head: Head;
  readonly bytes: number;
  /** The log had it already: an earlier attempt had come so far. */
  readonly wasThere: boolean;
}

/**
 * Makes a store of a node without a database the first snapshot of an empty log: its turn 1, which counts as trimmed. The log comes first,
 * and the store says that it belongs to it only then. If this process ends in between, replicas refuse the store, and the same import completes
 * it. The disk is nobody else's meanwhile.
 */
export async function importStore(
  options: ImportOptions,
  { disk }: { readonly disk: Disk },
): Promise<Imported> {
  const { draft } = options;
  const head = await copyStore(disk, draft);
  try {
    const imported = await intoLog({ ...options, head });
    giveItsPlace(disk.database, head);
    return imported;
  } finally {
    for (const suffix of ["", "-wal", "-shm"])
      rmSync(`${draft}${suffix}`, { force: true });
  }
}

/** Copies a store, and gives the copy its place in a log: a head that nothing but this store has. */
async function copyStore(disk: Disk, draft: string): Promise<Head> {
  createPrivately(draft);
  await backup(disk.database, draft, { rate: PAGES });
  const hash = createHash("sha256");
  await pipeline(createReadStream(draft), hash);
  const head = headAfter(emptyHead, hash.digest());
  const copy = new DatabaseSync(draft);
  try {
    giveItsPlace(copy, head);
  } finally {
    copy.close();
  }
  return head;
}

/** All or nothing. */
function giveItsPlace(database: DatabaseSync, { sequence, hash }: Head): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    database.exec(appliedSql);
    database.prepare(writeAppliedSql).run(sequence, hash);
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

async function intoLog(
  options: ImportOptions & { readonly head: Head },
): Promise<Imported> {
  const { requestMs, head } = options;
  const lease = new Lease(
    { ...options, instance: randomUUID() },
    { timers: machineTimers, onLost: () => undefined },
  );
  const name = "hardhat-sequencer import";
  const client = await openSession({
    ...options,
    name,
    idleMs: undefined,
    requestMs,
  });
  try {
    const { head: end } = await readRange(client, options);
    const known = await findEarlier(client, { ...options, end });
    if (known !== undefined) return { head, bytes: known, wasThere: true };
    const taken = await takeLease(lease, options);
    await findEarlier(client, { ...options, end: taken.head });
    if (!(await lockSnapshots(client, options)))
      throw busy(options, "another process makes a snapshot");
    const { sequence } = head;
    const stored = await storeParts(client, { ...options, sequence });
    await publishStore(lease, { ...options, taken, stored });
    return { head, bytes: stored.size, wasThere: false };
  } finally {
    await client.end().catch(() => undefined);
    await lease.release().catch(() => undefined);
  }
}

/** A lease that an earlier import has left is free after the grace. */
async function takeLease(lease: Lease, options: ImportOptions): Promise<Taken> {
  const { leaseMs, graceMs } = options;
  const end = performance.now() + 2 * (leaseMs + graceMs);
  while (performance.now() < end) {
    const taken = await lease.take();
    if (taken !== undefined) return taken;
    await pause(LOOK_MS);
  }
  throw busy(options, "another process has its lease");
}

function busy({ schema }: ImportOptions, reason: string): ReplicaError {
  return new ReplicaError(
    "BUSY",
    `The log in the schema ${schema} is in use: ${reason}. Stop all replicas of the node, and import the store again. Nothing was changed.`,
  );
}

/** The size of the snapshot, if the log is this store and nothing else. Throws a {@link ReplicaError} if it has anything else. */
async function findEarlier(
  client: Parameters<typeof listSnapshots>[0],
  {
    schema,
    bucket,
    head,
    end,
  }: ImportOptions & { readonly head: Head; readonly end: Head },
): Promise<number | undefined> {
  if (end.sequence === 0) return undefined;
  const [first] = await listSnapshots(client, { schema, bucket });
  if (end.hash === head.hash && first?.head.hash === head.hash)
    return first.size;
  throw new ReplicaError(
    "NOT_EMPTY",
    `The log in the schema ${schema} is not empty: it ends with turn ${end.sequence}. Only an empty log takes a store: use another schema, or remove the store to go on with the log. Nothing was changed.`,
  );
}

/** The log begins with this snapshot, if it is still empty and the lease still this process's. */
async function publishStore(
  lease: Lease,
  {
    schema,
    bucket,
    name,
    head,
    taken,
    stored,
  }: ImportOptions & {
    readonly head: Head;
    readonly taken: Taken;
    readonly stored: StoredParts;
  },
): Promise<void> {
  const { rowCount } = await lease.ask({
    text: `WITH held AS (
        UPDATE ${schema}.bucket SET head_sequence = $3, head_hash = $4
        WHERE bucket = $1 AND epoch = $2 AND head_sequence = 0 AND state = 'open' RETURNING 1
      )
      INSERT INTO ${schema}.snapshot (bucket, sequence, hash, parts, size, checksum, made_by, made_at)
      SELECT $1, $3, $4, $5, $6, $7, $8, clock_timestamp() FROM held`,
    values: [
      bucket,
      taken.epoch,
      head.sequence,
      Buffer.from(head.hash, "hex"),
      stored.parts,
      stored.size,
      stored.checksum,
      name,
    ],
  });
  if (rowCount !== 1) throw lease.fenced("another process has the log");
}
