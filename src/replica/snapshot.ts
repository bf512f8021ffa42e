import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import * as sqlite from "node:sqlite";

import type pg from "pg";

import { createPrivately } from "../store/create-privately.ts";
import type { Disk } from "../store/disk.ts";
import type { Head } from "../store/log/chain.ts";
import { ReplicaError } from "./errors.ts";
import { headOf, listSnapshots } from "./restore.ts";

const PART_BYTES = 1_048_576;
/** Pages that are copied at a time: whoever uses the store meanwhile waits for so many. */
const PAGES = 64;
/** Turns, or parts of snapshots, that are deleted in one request: a session may only take so long for one. */
const DELETED_MAX = { turn: 100, snapshot_part: 32 } as const;
/** Snapshots that are kept: if the last one cannot be read, there is another one. */
const KEPT = 2;

/** Older versions of Node cannot copy a database that is in use. */
export function requireNode(): void {
  if (!Object.hasOwn(sqlite, "backup"))
    throw new ReplicaError(
      "VERSION",
      `This is Node ${process.versions.node}, and replicas need 22.16 or newer. Update Node.`,
    );
}

interface SnapshotOptions {
  readonly schema: string;
  readonly bucket: number;
  /** The replica, for people. */
  readonly name: string;
  /** The store. */
  readonly file: string;
}

interface SnapshotPorts {
  /** A session of its own, which is ended afterwards. */
  readonly client: pg.Client;
  readonly database: Disk["database"];
  /** Resolves when all that the store has now is durable. */
  readonly settled: () => Promise<void>;
  /** The store is no longer in use for the copy, whether there is one or not. */
  readonly onCopied?: () => void;
}

/**
 * Copies a store, while it is used, into the schema, and deletes the turns that nobody needs any more. Gives the head of the copy; undefined
 * if another replica is doing the same, or the copy is of no use.
 */
export async function makeSnapshot(
  options: SnapshotOptions,
  ports: SnapshotPorts,
): Promise<Head | undefined> {
  const { client } = ports;
  if (!(await lockSnapshots(client, options))) return undefined;
  const draft = `${options.file}.snapshot`;
  try {
    const head = await copy(draft, ports);
    if (head === undefined) return undefined;
    const isPublished = await publish(draft, { ...options, head }, client);
    if (!isPublished) return undefined;
    await trim(options, client);
    return head;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Whether this process may make a snapshot; nobody else does so until the session ends. */
export async function lockSnapshots(
  client: pg.Client,
  { schema, bucket }: Pick<SnapshotOptions, "schema" | "bucket">,
): Promise<boolean> {
  const { rows } = await client.query<{ readonly is_mine: boolean }>(
    `SELECT pg_try_advisory_lock('${schema}.snapshot'::regclass::oid::int, $1) AS is_mine`,
    [bucket],
  );
  return rows[0]?.is_mine === true;
}

/** How far the copy is says its own row, whatever the store has done meanwhile. Undefined if the store was closed meanwhile. */
async function copy(
  draft: string,
  { database, settled, onCopied = () => undefined }: SnapshotPorts,
): Promise<Head | undefined> {
  rmSync(draft, { force: true });
  createPrivately(draft);
  try {
    await sqlite.backup(database, draft, {
      rate: PAGES,
      // SQLite keeps a file that was closed, with its lock, until it has been copied.
      progress: () => {
        if (!database.isOpen) throw new Error("The store was closed.");
      },
    });
  } catch (error) {
    if (database.isOpen) throw error;
  } finally {
    onCopied();
  }
  if (!database.isOpen) return undefined;
  const head = headOf(draft);
  await settled();
  return head.sequence === 0 ? undefined : head;
}

/**
 * Stores the parts first, and the row that makes a snapshot of them last. It is there only if the log has the turn that the copy ends with:
 * the store of an active replica may have turns that are never durable.
 */
async function publish(
  draft: string,
  {
    schema,
    bucket,
    name,
    head,
  }: SnapshotOptions & {
    readonly head: Head;
  },
  client: pg.Client,
): Promise<boolean> {
  const { sequence, hash } = head;
  const known = await listSnapshots(client, { schema, bucket });
  if (known.some((one) => one.head.sequence >= sequence)) return false;
  const { parts, size, checksum } = await storeParts(client, {
    schema,
    bucket,
    sequence,
    draft,
  });
  const isDurable = `EXISTS (SELECT FROM ${schema}.turn WHERE bucket = $1 AND sequence = $2 AND hash = $3)`;
  const { rowCount } = await client.query(
    `INSERT INTO ${schema}.snapshot (bucket, sequence, hash, parts, size, checksum, made_by, made_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, clock_timestamp() WHERE ${isDurable}`,
    [bucket, sequence, Buffer.from(hash, "hex"), parts, size, checksum, name],
  );
  return rowCount === 1;
}

/** The parts of a snapshot, before there is a row that says so. */
export interface StoredParts {
  readonly parts: number;
  readonly size: number;
  readonly checksum: Buffer;
}

/** Stores the parts of a draft, instead of all parts of snapshots that were not completed. Nobody else may make a snapshot meanwhile. */
export async function storeParts(
  client: pg.Client,
  {
    schema,
    bucket,
    sequence,
    draft,
  }: Pick<SnapshotOptions, "schema" | "bucket"> & {
    readonly sequence: number;
    readonly draft: string;
  },
): Promise<StoredParts> {
  await deleteBitByBit(client, {
    schema,
    table: "snapshot_part",
    where: `bucket = $1 AND sequence NOT IN (SELECT sequence FROM ${schema}.snapshot WHERE bucket = $1)`,
    values: [bucket],
  });
  const checksum = createHash("sha256");
  let [parts, size] = [0, 0];
  for await (const bytes of partsOf(draft)) {
    checksum.update(bytes);
    await client.query({
      name: "store part",
      text: `INSERT INTO ${schema}.snapshot_part (bucket, sequence, part, bytes) VALUES ($1, $2, $3, $4)`,
      values: [bucket, sequence, parts, bytes],
    });
    parts += 1;
    size += bytes.length;
  }
  return { parts, size, checksum: checksum.digest() };
}

async function* partsOf(file: string): AsyncGenerator<Buffer> {
  const source = await open(file, "r");
  try {
    for (;;) {
      const { bytesRead, buffer } = await source.read(
        Buffer.alloc(PART_BYTES),
        0,
        PART_BYTES,
      );
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await source.close();
  }
}

/** Deletes snapshots but the last ones, and the turns that come before all that are kept. */
async function trim(
  { schema, bucket }: SnapshotOptions,
  client: pg.Client,
): Promise<void> {
  const kept = (await listSnapshots(client, { schema, bucket })).slice(0, KEPT);
  const oldest = kept.at(KEPT - 1);
  if (oldest === undefined) return;
  const { sequence } = oldest.head;
  const values = [bucket, sequence];
  await client.query(
    `DELETE FROM ${schema}.snapshot WHERE bucket = $1 AND sequence < $2`,
    values,
  );
  await deleteBitByBit(client, {
    schema,
    table: "snapshot_part",
    where: "bucket = $1 AND sequence < $2",
    values,
  });
  await deleteBitByBit(client, {
    schema,
    table: "turn",
    where: "bucket = $1 AND sequence <= $2",
    values,
  });
}

/** Deletes large rows, the oldest ones first. */
async function deleteBitByBit(
  client: pg.Client,
  {
    schema,
    table,
    where,
    values,
  }: {
    readonly schema: string;
    readonly table: keyof typeof DELETED_MAX;
    readonly where: string;
    readonly values: readonly number[];
  },
): Promise<void> {
  const most = DELETED_MAX[table];
  let deleted: number | null;
  do {
    ({ rowCount: deleted } = await client.query(
      `DELETE FROM ${schema}.${table} WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${schema}.${table} WHERE ${where} ORDER BY sequence LIMIT ${most}))`,
      [...values],
    ));
  } while (deleted === most);
}
