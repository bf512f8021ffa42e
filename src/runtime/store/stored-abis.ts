import type { AbiEntry } from "../domains/domain.ts";
import { jsonOf, textOf } from "./row.ts";
import type { Database } from "./database.ts";
import { type Query, toClause } from "./query.ts";
import { hexField, timeField } from "./query-fields.ts";

export const storedAbisTable = `
CREATE TABLE stored_abis (
  hash TEXT PRIMARY KEY,
  created TEXT NOT NULL,
  abi TEXT NOT NULL
) STRICT;
CREATE TABLE stored_abi_entries (
  hash TEXT NOT NULL REFERENCES stored_abis (hash),
  type TEXT NOT NULL,
  selector TEXT NOT NULL,
  definition TEXT NOT NULL
) STRICT;
CREATE INDEX stored_abi_entries_selector ON stored_abi_entries (type, selector);
`;

/** What can be found by the first bytes of calls and errors, or by the first topic of events. */
export type EntryType = "function" | "error" | "event";

/** An entry of an ABI, with what it is found by. */
export interface KeyedEntry {
  readonly type: EntryType;
  readonly selector: string;
  readonly definition: AbiEntry;
}

/** An ABI as it is kept. */
export interface StoredAbi {
  readonly hash: string;
  readonly abi: readonly AbiEntry[];
}

/** Definitions that share four bytes: beyond that nobody means them all. */
const candidatesMax = 32;

const fields = { hash: hexField("hash"), created: timeField("created") };

/** The ABIs that users gave. */
export class StoredAbis {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Only inside a commit. Does nothing if it is there already. */
  insert(
    abi: StoredAbi & { readonly created: string },
    entries: readonly KeyedEntry[],
  ): void {
    const count = this.#database.run(
      "INSERT OR IGNORE INTO stored_abis (hash, created, abi) VALUES (?, ?, ?)",
      abi.hash,
      abi.created,
      JSON.stringify(abi.abi),
    );
    if (count === 0) return;
    for (const { type, selector, definition } of entries)
      this.#database.run(
        "INSERT INTO stored_abi_entries (hash, type, selector, definition) VALUES (?, ?, ?, ?)",
        abi.hash,
        type,
        selector,
        JSON.stringify(definition),
      );
  }

  has(hash: string): boolean {
    return (
      this.#database.get("SELECT 1 FROM stored_abis WHERE hash = ?", hash) !==
      undefined
    );
  }

  byHash(hash: string): StoredAbi | undefined {
    const row = this.#database.get(
      "SELECT hash, abi FROM stored_abis WHERE hash = ?",
      hash,
    );
    return (
      row && {
        hash: textOf(row, "hash"),
        abi: jsonOf(row, "abi") as readonly AbiEntry[],
      }
    );
  }

  find(query: Query): readonly StoredAbi[] {
    const { sql, values } = toClause(query, {
      fields,
      order: "rowid DESC",
    });
    return this.#database
      .all(`SELECT hash, abi FROM stored_abis ${sql}`, ...values)
      .map((row) => ({
        hash: textOf(row, "hash"),
        abi: jsonOf(row, "abi") as readonly AbiEntry[],
      }));
  }

  /** Definitions that may fit, each once, oldest first. */
  candidates(type: EntryType, selector: string): readonly AbiEntry[] {
    return this.#database
      .all(
        `SELECT definition FROM stored_abi_entries WHERE type = ? AND selector = ?
         GROUP BY definition ORDER BY min(rowid) LIMIT ${candidatesMax}`,
        type,
        selector,
      )
      .map((row) => jsonOf(row, "definition") as AbiEntry);
  }
}
