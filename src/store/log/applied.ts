import { Columns } from "../columns.ts";
import type { Database } from "../database.ts";
import { emptyHead, type Head } from "./chain.ts";

/**
 * How far along its log a store is. The row is written in the same transaction as the turn. It is no part of a turn itself, and so the
 * table is there only where the store has a log.
 */
export const appliedSql = `
CREATE TABLE IF NOT EXISTS applied (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  sequence INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
`;

export function readApplied(database: Pick<Database, "get">): Head {
  const row = database.get("SELECT sequence, hash FROM applied");
  if (row === undefined) return emptyHead;
  const columns = new Columns(row, { table: "applied", key: "1" });
  return { sequence: columns.count("sequence"), hash: columns.text("hash") };
}

export const writeAppliedSql = `INSERT INTO applied (one, sequence, hash) VALUES (1, ?, ?)
  ON CONFLICT (one) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash`;
