import { DatabaseSync, type StatementSync } from "node:sqlite";

import { StoreError, translate } from "./store-error.ts";

/** What a column can hold. */
export type Value = string | number | bigint | Uint8Array | null;

/** One row, by the names of its columns. */
export type Row = Readonly<Record<string, Value>>;

/** Steps from an empty file to today's tables, oldest first. A step that was released is never changed. */
export type Migrations = readonly string[];

/** Users' queries come in many forms; those that were not used for the longest time are prepared again. */
const STATEMENTS_MAX = 256;

/**
 * A SQLite file: statements, and transactions that are on the disk when they are over. Only one process has it: the
 * operating system holds the lock, and gives it up when the process ends, however it ends.
 */
export class Database {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #isCommitting = false;
  #isClosed = false;

  /** Opens or creates the file; ":memory:" keeps everything in memory. */
  constructor(
    options: { readonly file: string },
    ports: { readonly migrations: Migrations },
  ) {
    this.#file = options.file;
    this.#database = this.#attempt(
      () => new DatabaseSync(options.file, { timeout: 0 }),
    );
    try {
      // A commit is on the disk before it returns, even if the machine loses power.
      this.#exec(
        "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
      );
      this.#migrate(ports.migrations);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** All that `write` does happens, durably, or nothing of it does. */
  commit<Result>(write: () => Result): Result {
    if (this.#isCommitting) throw new Error("A commit is under way already.");
    this.#isCommitting = true;
    try {
      this.#exec("BEGIN IMMEDIATE");
      const result = write();
      this.#exec("COMMIT");
      return result;
    } catch (error) {
      this.#rollback();
      throw error;
    } finally {
      this.#isCommitting = false;
    }
  }

  /** Runs a statement that changes something; gives the number of rows that it changed. */
  run(sql: string, ...values: readonly Value[]): number {
    return this.#attempt(() =>
      Number(this.#statement(sql).run(...values).changes),
    );
  }

  /** The first row, if there is one. */
  get(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.#attempt(() => this.#statement(sql).get(...values));
  }

  all(sql: string, ...values: readonly Value[]): readonly Row[] {
    return this.#attempt(() => this.#statement(sql).all(...values));
  }

  get isOpen(): boolean {
    return !this.#isClosed;
  }

  close(): void {
    this.#statements.clear();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#database.close();
  }

  #rollback(): void {
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // SQLite has done so already, for example because the disk is full. What went wrong is thrown by the caller.
    }
  }

  #statement(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.delete(sql);
    this.#statements.set(sql, statement);
    if (this.#statements.size > STATEMENTS_MAX) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    return statement;
  }

  #exec(sql: string): void {
    this.#attempt(() => this.#database.exec(sql));
  }

  #attempt<Result>(act: () => Result): Result {
    try {
      return act();
    } catch (error) {
      throw translate(this.#file, error);
    }
  }

  #migrate(migrations: Migrations): void {
    // The transaction is empty when there is nothing to do; it still takes the lock.
    this.commit(() => {
      const version = Number(this.get("PRAGMA user_version")?.["user_version"]);
      if (version > migrations.length)
        throw new StoreError(
          "NEWER",
          `${this.#file} was written by a newer version (schema ${version}, this one knows ${migrations.length}). Update hardhat-sequencer, or use another directory.`,
        );
      for (const sql of migrations.slice(version)) this.#exec(sql);
      if (version < migrations.length)
        this.#exec(`PRAGMA user_version = ${migrations.length}`);
    });
  }
}
