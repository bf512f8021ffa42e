import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";

import { readApplied } from "../store/log/applied.ts";
import type { Head } from "../store/log/chain.ts";
import { ReplicaError } from "./errors.ts";
import type { Queries } from "./postgres-log.ts";

/** A copy of a store, as it was after a turn. */
export interface Snapshot {
  readonly head: Head;
  readonly parts: number;
  /** In bytes. */
  readonly size: number;
  readonly checksum: string;
}

/** Where a snapshot is put together: next to the store, for the same eyes only. */
export function draftOf(file: string): string {
  return `${file}.restoring`;
}

/** The snapshots of a log, newest first. Those that are not complete are not among them. */
export async function listSnapshots(
  client: Queries,
  { schema, bucket }: { readonly schema: string; readonly bucket: number },
): Promise<readonly Snapshot[]> {
  const { rows } = await client.query<{
    readonly sequence: string;
    readonly hash: Buffer;
    readonly parts: number;
    readonly size: string;
    readonly checksum: Buffer;
  }>({
    text: `SELECT sequence, hash, parts, size, checksum FROM ${schema}.snapshot
      WHERE bucket = $1 ORDER BY sequence DESC`,
    values: [bucket],
  });
  return rows.map(({ sequence, hash, parts, size, checksum }) => ({
    head: { sequence: Number(sequence), hash: hash.toString("hex") },
    parts,
    size: Number(size),
    checksum: checksum.toString("hex"),
  }));
}

interface RestoreOptions {
  readonly schema: string;
  readonly bucket: number;
  readonly file: string;
  readonly snapshot: Snapshot;
}

/**
 * Writes a snapshot to the draft of a file. Throws a {@link ReplicaError} if parts are missing, bytes differ from those that were hashed when
 * it was made, or the store in it is not the one that it should be.
 */
export async function restoreSnapshot(
  client: Queries,
  options: RestoreOptions,
): Promise<void> {
  const { snapshot, file } = options;
  const draft = draftOf(file);
  try {
    const checksum = await download(client, { ...options, draft });
    if (checksum !== snapshot.checksum)
      throw refused(options, "its bytes are not those that were stored");
    const head = headOf(draft);
    if (
      head.sequence !== snapshot.head.sequence ||
      head.hash !== snapshot.head.hash
    )
      throw refused(options, `the store in it is at turn ${head.sequence}`);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

async function download(
  client: Queries,
  {
    schema,
    bucket,
    snapshot,
    draft,
    ...options
  }: RestoreOptions & { readonly draft: string },
): Promise<string> {
  const { sequence } = snapshot.head;
  const hash = createHash("sha256");
  rmSync(draft, { force: true });
  const target = await open(draft, "wx", 0o600);
  try {
    for (let part = 0; part < snapshot.parts; part++) {
      const { rows } = await client.query<{ readonly bytes: Buffer }>({
        name: "part",
        text: `SELECT bytes FROM ${schema}.snapshot_part WHERE bucket = $1 AND sequence = $2 AND part = $3`,
        values: [bucket, sequence, part],
      });
      const [row] = rows;
      if (row === undefined)
        throw refused(
          { schema, bucket, snapshot, ...options },
          `part ${part} of ${snapshot.parts} is missing`,
        );
      hash.update(row.bytes);
      await target.writeFile(row.bytes);
    }
  } finally {
    await target.close();
  }
  return hash.digest("hex");
}

/** How far the store in a file is. */
export function headOf(file: string): Head {
  const database = new DatabaseSync(file);
  try {
    return readApplied({ get: (sql) => database.prepare(sql).get() });
  } finally {
    database.close();
  }
}

function refused(
  { schema, snapshot }: RestoreOptions,
  problem: string,
): ReplicaError {
  return new ReplicaError(
    "SNAPSHOT",
    `The snapshot at turn ${snapshot.head.sequence} in the schema ${schema} cannot be used: ${problem}. An older one or all turns are used instead.`,
  );
}
