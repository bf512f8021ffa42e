import { DatabaseSync, type StatementSync } from "node:sqlite";

/** What a column can hold. */
export type Value = string | number | bigint | Uint8Array | null;

/** One row, by the names of its columns. */
export type Row = Readonly<Record<string, Value>>;

/** Steps from an empty file to today's tables, oldest first. A step that was released is never changed. */
export type Migrations = readonly string[];

/** A SQLite file: statements, and transactions that are on the disk when they are over. */
export class Database {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #isCommitting = false;

  /** Opens or creates the file; ":memory:" keeps everything in memory. */
  constructor(
    options: { readonly file: string },
    ports: { readonly migrations: Migrations },
  ) {
    this.#database = new DatabaseSync(options.file, { timeout: 5_000 });
    // A commit is on the disk before it returns, even if the machine loses power.
    this.#database.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
    );
    this.#migrate(options.file, ports.migrations);
  }

  /** All that `write` does happens, durably, or nothing of it does. */
  commit<Result>(write: () => Result): Result {
    if (this.#isCommitting) throw new Error("A commit is under way already.");
    this.#isCommitting = true;
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = write();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    } finally {
      this.#isCommitting = false;
    }
  }

  /** Runs a statement that changes something; gives the number of rows that it changed. */
  run(sql: string, ...values: readonly Value[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  /** The first row, if there is one. */
  get(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.#statement(sql).get(...values);
  }

  all(sql: string, ...values: readonly Value[]): readonly Row[] {
    return this.#statement(sql).all(...values);
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #migrate(file: string, migrations: Migrations): void {
    const version = Number(this.get("PRAGMA user_version")?.["user_version"]);
    if (version > migrations.length) {
      this.close();
      throw new Error(
        `${file} was written by a newer version (schema ${version}, this one knows ${migrations.length}). Update hardhat-sequencer, or use another directory.`,
      );
    }
    if (version === migrations.length) return;
    this.commit(() => {
      for (const sql of migrations.slice(version)) this.#database.exec(sql);
      this.#database.exec(`PRAGMA user_version = ${migrations.length}`);
    });
  }
}
