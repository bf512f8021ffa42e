import type { StatementSync } from "node:sqlite";

import { type Disk, type OpenDisk, openMachineDisk } from "./disk.ts";
import { StoreError, translate } from "./store-error.ts";

/** What a column can hold. */
export type Value = string | number | bigint | Uint8Array | null;

/** One row, by the names of its columns. */
export type Row = Readonly<Record<string, Value>>;

/** Steps from an empty file to today's tables, oldest first. A step that was released is never changed. */
export type Migrations = readonly string[];

/** Users' queries come in many forms; those that were not used for the longest time are prepared again. */
const STATEMENTS_MAX = 256;

/** Ends a statement from within. */
const outOfTime = new Error("The statement takes too long.");

/**
 * A SQLite file: statements, and transactions that are on the disk when they are over. Only one process has it: the
 * operating system holds the lock, and gives it up when the process ends, however it ends.
 */
export class Database {
  readonly #file: string;
  readonly #disk: Disk;
  readonly #statements = new Map<string, StatementSync>();
  #isCommitting = false;
  #isClosed = false;
  /** Of the statement that must end in time. */
  #deadline = { end: Infinity, isFirstRow: true };

  /** Opens or creates the file; ":memory:" keeps everything in memory. */
  constructor(
    options: { readonly file: string },
    ports: { readonly migrations: Migrations; readonly openDisk?: OpenDisk },
  ) {
    this.#file = options.file;
    const { openDisk = openMachineDisk } = ports;
    this.#disk = this.#attempt(() => openDisk(options.file));
    try {
      this.#exec("PRAGMA foreign_keys = ON");
      this.#migrate(ports.migrations);
      this.#disk.database.function("within_time", { varargs: true }, () =>
        this.#withinTime(),
      );
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Writes all that was committed to a new file. */
  copyTo(file: string): void {
    this.run("VACUUM INTO ?", file);
  }

  /** All that `write` does happens, durably, or nothing of it does. */
  commit<Result>(write: () => Result): Result {
    const result = this.write(write);
    this.#attempt(() => {
      this.#disk.flushNow();
    });
    return result;
  }

  /** The same, without waiting in between: resolves when it is on the disk. */
  async commitSoon<Result>(write: () => Result): Promise<Result> {
    const result = this.write(write);
    await new Promise<void>((resolve, reject) => {
      this.flush((error) => {
        if (error === undefined) resolve();
        else reject(error);
      });
    });
    return result;
  }

  /** Calls back when all that is written now is on the disk, even if the machine loses power; at once if it has none. */
  flush(done: (error: Error | undefined) => void): void {
    this.#disk.flush((error) => {
      done(error === null ? undefined : translate(this.#file, error));
    });
  }

  /** All that `write` does happens, or nothing of it does. Everybody sees it, but it is on the disk only after a flush. */
  write<Result>(write: () => Result): Result {
    if (this.#isCommitting) throw new Error("A commit is under way already.");
    this.#isCommitting = true;
    try {
      this.#exec(this.#disk.sql.begin);
      const result = write();
      this.#exec(this.#disk.sql.commit);
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
    return this.change(sql, ...values).changes;
  }

  /** The same, with the number of the row that was inserted last, by this statement or an earlier one. */
  change(
    sql: string,
    ...values: readonly Value[]
  ): { readonly changes: number; readonly lastRow: Value } {
    return this.#attempt(() => {
      const { changes, lastInsertRowid: lastRow } = this.#statement(sql).run(
        ...values,
      );
      return { changes: Number(changes), lastRow };
    });
  }

  /** The first row, if there is one. */
  get(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.#attempt(() => this.#statement(sql).get(...values));
  }

  all(sql: string, ...values: readonly Value[]): readonly Row[] {
    return this.#attempt(() => this.#statement(sql).all(...values));
  }

  /**
   * The same for a statement with `within_time(column)` in its condition, which is asked for every row: undefined if it
   * takes longer, unless that is because of one row.
   */
  allWithin(
    ms: number,
    sql: string,
    ...values: readonly Value[]
  ): readonly Row[] | undefined {
    this.#deadline = { end: performance.now() + ms, isFirstRow: true };
    try {
      return this.all(sql, ...values);
    } catch (error) {
      if (error === outOfTime) return undefined;
      throw error;
    } finally {
      this.#deadline = { end: Infinity, isFirstRow: true };
    }
  }

  get isOpen(): boolean {
    return !this.#isClosed;
  }

  close(): void {
    this.#statements.clear();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#disk.close();
  }

  #withinTime(): number {
    const { end, isFirstRow } = this.#deadline;
    if (!isFirstRow && performance.now() > end) throw outOfTime;
    this.#deadline.isFirstRow = false;
    return 1;
  }

  #rollback(): void {
    try {
      this.#disk.database.exec(this.#disk.sql.rollback);
    } catch {
      // SQLite has done so already, for example because the disk is full. What went wrong is thrown by the caller.
    }
  }

  #statement(sql: string): StatementSync {
    const statement =
      this.#statements.get(sql) ?? this.#disk.database.prepare(sql);
    this.#statements.delete(sql);
    this.#statements.set(sql, statement);
    if (this.#statements.size > STATEMENTS_MAX) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    return statement;
  }

  #exec(sql: string): void {
    this.#attempt(() => this.#disk.database.exec(sql));
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
