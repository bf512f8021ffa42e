import type { StatementSync } from "node:sqlite";

import { type Disk, type OpenDisk, openMachineDisk } from "./disk.ts";
import { appliedSql, readApplied, writeAppliedSql } from "./log/applied.ts";
import { TurnRecorder } from "./log/recorder.ts";
import { StoreError, translate } from "./store-error.ts";

/** What a column can hold. */
export type Value = string | number | bigint | Uint8Array | null;

/** One row, by the names of its columns. */
export type Row = Readonly<Record<string, Value>>;

/** Steps from an empty file to today's tables, oldest first. A step that was released is never changed. */
export type Migrations = readonly string[];

/** Users' queries come in many forms; those that were not used for the longest time are prepared again. */
const STATEMENTS_MAX = 256;

/** Statements that change nothing begin like this. */
const READS = /^\s*(?:select|with|pragma|explain)\b/i;

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
  /** Undefined where nobody needs turns. */
  #recorder: TurnRecorder | undefined;
  #isCommitting = false;
  /** Writes so far, and how many of them are durable. */
  readonly #writes = { committed: 0, durable: 0 };
  #isClosed = false;
  #flushFailure: Error | undefined;
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
      this.#recorder = this.#openRecorder();
      this.#migrate(ports.migrations);
      this.#disk.database.function("within_time", { varargs: true }, () =>
        this.#withinTime(),
      );
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Whether a write is under way. */
  get isWriting(): boolean {
    return this.#isCommitting;
  }

  /** Writes all that was committed to a new file. */
  copyTo(file: string): void {
    this.#attempt(() => this.#statement("VACUUM INTO ?").run(file));
  }

  /** All that `write` does happens, or nothing of it does. Resolves when it is durable. */
  async commit<Result>(write: () => Result): Promise<Result> {
    const result = this.write(write);
    await this.settled();
    return result;
  }

  /** Calls back when all that is written now is on the disk, even if the machine loses power; at once if it has none. */
  flush(done: (error: Error | undefined) => void): void {
    const { committed } = this.#writes;
    this.#disk.flush((error) => {
      if (error !== null) this.#flushFailure ??= translate(this.#file, error);
      // What one flush lost, no later one brings back.
      if (this.#flushFailure === undefined)
        this.#writes.durable = Math.max(this.#writes.durable, committed);
      done(this.#flushFailure);
    });
  }

  /** Resolves when all that can be read now is durable, at once if it is. Nothing leaves a node before that. */
  async settled(): Promise<void> {
    const { committed, durable } = this.#writes;
    if (durable >= committed) return;
    await new Promise<void>((resolve, reject) => {
      this.flush((error) => {
        if (error === undefined) resolve();
        else reject(error);
      });
    });
  }

  /**
   * Flushes without others in between, while a store is opened. A disk with its log elsewhere cannot do that, so it is settled only
   * after a flush.
   */
  flushNow(): void {
    this.#attempt(() => {
      this.#disk.flushNow();
    });
  }

  /** All that `write` does happens, or nothing of it does. Everybody sees it, but it is on the disk only after a flush. */
  write<Result>(write: () => Result): Result {
    if (this.#isCommitting) throw new Error("A commit is under way already.");
    this.#isCommitting = true;
    try {
      this.#exec(this.#disk.sql.begin);
      const result = write();
      const head = this.#recorder?.end();
      if (head !== undefined)
        this.#statement(writeAppliedSql).run(head.sequence, head.hash);
      this.#exec(this.#disk.sql.commit);
      this.#writes.committed += 1;
      this.#recorder?.committed();
      return result;
    } catch (error) {
      this.#recorder?.discard();
      this.#rollback();
      throw error;
    } finally {
      this.#isCommitting = false;
    }
  }

  /** Only inside a write: runs a statement that changes something; gives the number of rows that it changed. */
  run(sql: string, ...values: readonly Value[]): number {
    return this.change(sql, ...values).changes;
  }

  /** The same, with the number of the row that was inserted last, by this statement or an earlier one. */
  change(
    sql: string,
    ...values: readonly Value[]
  ): { readonly changes: number; readonly lastRow: Value } {
    if (!this.#isCommitting)
      throw new Error(`Statement outside of a write: ${sql}`);
    return this.#attempt(() => {
      const { changes, lastInsertRowid: lastRow } = this.#statement(sql).run(
        ...values,
      );
      this.#recorder?.run(sql, values, Number(changes));
      return { changes: Number(changes), lastRow };
    });
  }

  /** The first row, if there is one. The statement changes nothing. */
  get(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.#attempt(() => this.#query(sql).get(...values));
  }

  all(sql: string, ...values: readonly Value[]): readonly Row[] {
    return this.#attempt(() => this.#query(sql).all(...values));
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

  #query(sql: string): StatementSync {
    if (!READS.test(sql))
      throw new Error(`Statement that is not a query: ${sql}`);
    return this.#statement(sql);
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    // As long as there is much room, it does not matter which one was used last.
    if (known !== undefined && this.#statements.size <= STATEMENTS_MAX / 2)
      return known;
    const statement = known ?? this.#disk.database.prepare(sql);
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
    this.write(() => {
      const version = Number(this.get("PRAGMA user_version")?.["user_version"]);
      if (version > migrations.length)
        throw new StoreError(
          "NEWER",
          `${this.#file} was written by a newer version (schema ${version}, this one knows ${migrations.length}). Update hardhat-sequencer, or use another directory.`,
        );
      for (const sql of migrations.slice(version)) this.#script(sql);
      if (version < migrations.length)
        this.#script(`PRAGMA user_version = ${migrations.length}`);
    });
  }

  #script(sql: string): void {
    this.#exec(sql);
    this.#recorder?.script(sql);
  }

  #openRecorder(): TurnRecorder | undefined {
    const { record } = this.#disk;
    if (record === undefined) return undefined;
    this.#exec(appliedSql);
    return new TurnRecorder(readApplied(this), record);
  }
}
