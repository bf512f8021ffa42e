import type { ChainedTurn } from "../store/log/chain.ts";
import { type StatementId, statementIdOf } from "../store/log/turn.ts";
import type { Queries } from "./postgres-log.ts";
import { type BucketRow, headOf } from "./schema.ts";
import { turnPageSql } from "./turn-page.ts";

interface Log {
  readonly schema: string;
  readonly bucket: number;
}

/** A turn as it is in the table, whether or not that is right. */
export interface StoredTurn extends ChainedTurn {
  readonly epoch: number;
}

/** Turns from one on, up to some number or size of them; none only if there is none. */
export async function readTurns(
  client: Queries,
  {
    schema,
    bucket,
    from,
    turnsMax,
  }: Log & { readonly from: number; readonly turnsMax: number },
): Promise<readonly StoredTurn[]> {
  const { rows } = await client.query<{
    readonly sequence: string;
    readonly epoch: string;
    readonly hash: Buffer;
    readonly body: Buffer;
  }>({
    name: "stored turns",
    text: turnPageSql(schema),
    values: [bucket, from, turnsMax],
  });
  return rows.map(({ sequence, epoch, hash, body }) => ({
    sequence: Number(sequence),
    epoch: Number(epoch),
    hash: hash.toString("hex"),
    body,
  }));
}

/** The texts of statements, and the ids of those that are not what turns mean. */
export async function readStatements(
  client: Queries,
  { schema }: Pick<Log, "schema">,
): Promise<{
  readonly known: ReadonlyMap<StatementId, string>;
  readonly altered: readonly StatementId[];
}> {
  const { rows } = await client.query<{
    readonly id: string;
    readonly sql: string;
  }>({ text: `SELECT id, sql FROM ${schema}.statement ORDER BY id` });
  const altered = rows.filter(({ id, sql }) => statementIdOf(sql) !== id);
  return {
    known: new Map(rows.map(({ id, sql }) => [id, sql])),
    altered: altered.map(({ id }) => id),
  };
}

/** Where a log begins and ends. */
export interface LogRange {
  readonly head: ReturnType<typeof headOf>;
  readonly epoch: number;
  /** The first turn that is still there, and how many there are. */
  readonly first: number | undefined;
  readonly count: number;
}

export async function readRange(
  client: Queries,
  { schema, bucket }: Log,
): Promise<LogRange> {
  const { rows } = await client.query<
    BucketRow & { readonly first: string | null; readonly count: string }
  >({
    text: `SELECT epoch, head_sequence, head_hash,
        (SELECT min(sequence) FROM ${schema}.turn WHERE bucket = $1) AS first,
        (SELECT count(*) FROM ${schema}.turn WHERE bucket = $1) AS count
      FROM ${schema}.bucket WHERE bucket = $1`,
    values: [bucket],
  });
  const [row] = rows;
  if (row === undefined)
    throw new Error(`The schema ${schema} has no bucket ${bucket}.`);
  return {
    head: headOf(row),
    epoch: Number(row.epoch),
    first: row.first === null ? undefined : Number(row.first),
    count: Number(row.count),
  };
}
