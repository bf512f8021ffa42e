import type { Database, Row, Value } from "./database.ts";
import { type Condition, QueryError } from "./query.ts";
import { numberOf } from "./row.ts";

/** Resolves when the search may go on; rejects when it has taken too long. */
export type Turn = () => Promise<void>;

/** Where to search. */
export interface Source {
  /** With its alias, if the conditions use one. */
  readonly table: string;
  /** The column with the number of the row, which grows: the newest are found first. */
  readonly key: string;
}

/** How long one statement may take, in milliseconds. */
const statementMs = 5;
/** Rows that the first statement looks at, and the most that one does. */
const width = { first: 256, max: 16_384 };
/** Characters of the rows that one query gives. A transaction has up to a megabyte of data. */
const charactersMax = 4_194_304;

/**
 * Finds rows in many short statements, since nothing else happens while one runs. It begins with the newest rows; those that
 * are added meanwhile are not found.
 */
export async function search<Found>(
  database: Database,
  source: Source & { readonly parse: (row: Row) => Found },
  condition: Condition,
  turn: Turn,
): Promise<readonly Found[]> {
  const keys = await new Search(database, source, condition).run(turn);
  const found: Found[] = [];
  let characters = 0;
  for (const key of keys) {
    await turn();
    const row = database.get(
      `SELECT * FROM ${source.table} WHERE ${source.key} = ?`,
      key,
    );
    // It was removed meanwhile.
    if (row === undefined) continue;
    characters += sizeOf(row);
    if (found.length > 0 && characters > charactersMax)
      throw new QueryError(
        `The first ${found.length + 1} rows hold more than ${charactersMax} characters. Use a limit of at most ${found.length}, or compare more fields`,
      );
    found.push(source.parse(row));
  }
  return found;
}

/** Looks at a window of rows after the other. A window that takes too long is tried again with half as many. */
class Search {
  readonly #database: Database;
  readonly #source: Source;
  readonly #condition: Condition;
  #width = width.first;
  #found: readonly number[] = [];

  constructor(database: Database, source: Source, condition: Condition) {
    this.#database = database;
    this.#source = source;
    this.#condition = condition;
  }

  async run(turn: Turn): Promise<readonly number[]> {
    await turn();
    const bottom = this.#edge("ASC");
    let high = this.#edge("DESC");
    while (high !== undefined && bottom !== undefined && high >= bottom) {
      await turn();
      const low = Math.max(bottom, high - this.#width + 1);
      if (!this.#look(low, high)) continue;
      if (this.#isFull()) break;
      high = low - 1;
    }
    return this.#found;
  }

  /** The oldest or the newest row. */
  #edge(direction: "ASC" | "DESC"): number | undefined {
    const { table, key } = this.#source;
    const row = this.#database.get(
      `SELECT ${key} AS found FROM ${table} ORDER BY ${key} ${direction} LIMIT 1`,
    );
    return row && numberOf(row, "found");
  }

  /** False if it took too long. */
  #look(low: number, high: number): boolean {
    const { table, key } = this.#source;
    const { sql, values, sort, limit } = this.#condition;
    const begin = performance.now();
    const rows = this.#database.allWithin(
      statementMs,
      `SELECT ${key} AS found FROM ${table}
       WHERE ${key} BETWEEN ? AND ? AND within_time(${key}) AND ${sql}
       ORDER BY ${[...sort, `${key} DESC`].join(", ")} LIMIT ?`,
      low,
      high,
      ...values,
      limit,
    );
    if (rows === undefined) {
      this.#width = Math.max(1, Math.floor((high - low + 1) / 2));
      return false;
    }
    if (performance.now() - begin < statementMs / 4)
      this.#width = Math.min(this.#width * 2, width.max);
    this.#add(rows.map((row) => numberOf(row, "found")));
    return true;
  }

  #add(keys: readonly number[]): void {
    const { sort, limit } = this.#condition;
    const all = [...this.#found, ...keys];
    this.#found =
      sort.length === 0 || keys.length === 0 || this.#found.length === 0
        ? all.slice(0, limit)
        : this.#sorted(all);
  }

  #sorted(keys: readonly number[]): readonly number[] {
    const { table, key } = this.#source;
    const { sort, limit } = this.#condition;
    const values: readonly Value[] = [JSON.stringify(keys), limit];
    return this.#database
      .all(
        `SELECT ${key} AS found FROM ${table} WHERE ${key} IN (SELECT value FROM json_each(?))
         ORDER BY ${[...sort, `${key} DESC`].join(", ")} LIMIT ?`,
        ...values,
      )
      .map((row) => numberOf(row, "found"));
  }

  /** Older rows cannot be among the first unless the user wants another order. */
  #isFull(): boolean {
    const { sort, limit } = this.#condition;
    return sort.length === 0 && this.#found.length >= limit;
  }
}

function sizeOf(row: Row): number {
  return Object.values(row).reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? value.length : 8),
    0,
  );
}
