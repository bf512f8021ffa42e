import type pg from "pg";

import type { Head } from "../store/log/chain.ts";
import type { Formats } from "./node-row.ts";
import type { LogView } from "./place.ts";
import { type BucketRow, headOf } from "./schema.ts";

/** Looks at a log from where a store is. */
export async function viewLog(
  client: Pick<pg.Client, "query">,
  {
    schema,
    bucket,
    applied,
    acknowledged,
  }: {
    readonly schema: string;
    readonly bucket: number;
    readonly applied: Head;
    readonly acknowledged: Head;
  },
): Promise<LogView & { readonly epoch: number; readonly formats: Formats }> {
  const turn = `FROM ${schema}.turn WHERE bucket = $1`;
  const { rows } = await client.query<
    BucketRow & {
      readonly first: string | null;
      readonly applied: Buffer | null;
      readonly acknowledged: Buffer | null;
      readonly store_format: number | null;
      readonly turn_format: number | null;
    }
  >({
    name: "view",
    text: `SELECT epoch, head_sequence, head_hash, store_format, turn_format,
        (SELECT min(sequence) ${turn}) AS first,
        (SELECT hash ${turn} AND sequence = $2) AS applied,
        (SELECT hash ${turn} AND sequence = $3) AS acknowledged
      FROM ${schema}.bucket LEFT JOIN ${schema}.node ON true WHERE bucket = $1`,
    values: [bucket, applied.sequence, acknowledged.sequence],
  });
  const [row] = rows;
  if (row === undefined)
    throw new Error(`The schema ${schema} has no bucket ${bucket}.`);
  const hashes = new Map([
    [applied.sequence, row.applied?.toString("hex")],
    [acknowledged.sequence, row.acknowledged?.toString("hex")],
  ]);
  return {
    epoch: Number(row.epoch),
    head: headOf(row),
    first: row.first === null ? undefined : Number(row.first),
    hashAt: (sequence) => hashes.get(sequence),
    // No replica has started yet after an import.
    formats: { store: row.store_format ?? 0, turns: row.turn_format ?? 0 },
  };
}
