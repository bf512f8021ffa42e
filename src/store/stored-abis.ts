import type { AbiEntry } from "../domains/domain.ts";
import { jsonOf, numberOf, textOf } from "./row.ts";
import type { Database, Row } from "./database.ts";
import { type Query, toCondition } from "./query.ts";
import { hexField, timeField } from "./query-fields.ts";
import { search, type Turn } from "./search.ts";

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
  shape TEXT NOT NULL,
  definition TEXT NOT NULL,
  UNIQUE (type, selector, shape)
) STRICT;
`;

/** What can be found by the first bytes of calls and errors, or by the first topic of events. */
export type EntryType = "function" | "error" | "event";

/** An entry of an ABI, with what it is found by. */
export interface KeyedEntry {
  readonly type: EntryType;
  readonly selector: string;
  /** The same for entries that fit the same data: their parameters have the same types, and other names at most. */
  readonly shape: string;
  readonly definition: AbiEntry;
}

/** An ABI as it is kept. */
export interface StoredAbi {
  readonly hash: string;
  readonly abi: readonly AbiEntry[];
}

/**
 * Definitions of different shapes that share a selector: beyond that nobody means them all. Whoever decodes tries them one
 * after the other, without a pause.
 */
const candidatesMax = 4;

const fields = { hash: hexField("hash"), created: timeField("created") };

/** The ABIs that users gave. */
export class StoredAbis {
  readonly #database: Database;
  /** Known from the first question on. A commit that failed makes it too large, until the next start. */
  #size: { readonly count: number; readonly bytes: number } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Only inside a commit. Does nothing if it is there already. */
  insert(
    abi: StoredAbi & { readonly created: string },
    entries: readonly KeyedEntry[],
  ): void {
    const text = JSON.stringify(abi.abi);
    const { count: others, bytes } = this.size();
    const count = this.#database.run(
      "INSERT OR IGNORE INTO stored_abis (hash, created, abi) VALUES (?, ?, ?)",
      abi.hash,
      abi.created,
      text,
    );
    if (count === 0) return;
    this.#size = { count: others + 1, bytes: bytes + Buffer.byteLength(text) };
    for (const entry of entries) this.#insertEntry(abi.hash, entry);
  }

  /** Only the first of its shape is ever used. */
  #insertEntry(hash: string, entry: KeyedEntry): void {
    const { type, selector, shape, definition } = entry;
    this.#database.run(
      `INSERT OR IGNORE INTO stored_abi_entries (hash, type, selector, shape, definition)
       SELECT ?, ?, ?, ?, ? WHERE
       (SELECT count(*) FROM stored_abi_entries WHERE type = ? AND selector = ?) < ${candidatesMax}`,
      hash,
      type,
      selector,
      shape,
      JSON.stringify(definition),
      type,
      selector,
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
    return row && parse(row);
  }

  /** Newest first unless the query says otherwise. */
  async find(query: Query, turn: Turn): Promise<readonly StoredAbi[]> {
    const condition = toCondition(query, { fields });
    const source = { table: "stored_abis", key: "rowid", parse };
    return await search(this.#database, source, condition, turn);
  }

  /** How many there are, and how many bytes they have. */
  size(): { readonly count: number; readonly bytes: number } {
    this.#size ??= this.#measure();
    return this.#size;
  }

  #measure(): { readonly count: number; readonly bytes: number } {
    const row = this.#database.get(
      "SELECT count(*) AS count, ifnull(sum(octet_length(abi)), 0) AS bytes FROM stored_abis",
    );
    return row === undefined
      ? { count: 0, bytes: 0 }
      : { count: numberOf(row, "count"), bytes: numberOf(row, "bytes") };
  }

  /** Definitions that may fit, one of each shape, oldest first. */
  candidates(type: EntryType, selector: string): readonly AbiEntry[] {
    return this.#database
      .all(
        "SELECT definition FROM stored_abi_entries WHERE type = ? AND selector = ? ORDER BY rowid",
        type,
        selector,
      )
      .map((row) => jsonOf(row, "definition") as AbiEntry);
  }
}

function parse(row: Row): StoredAbi {
  return {
    hash: textOf(row, "hash"),
    abi: jsonOf(row, "abi") as readonly AbiEntry[],
  };
}
