import type { DatabaseSync, StatementSync } from "node:sqlite";

import {
  type DurableFacts,
  type FactTable,
  factTables,
} from "./durable-facts.ts";

const tables = Object.keys(factTables) as readonly FactTable[];

/**
 * Notes which rows of a database are written, by triggers: whatever code writes them, and so that a rollback takes the notes back
 * too. The notes are in a temporary table, which no copy of the database has.
 */
export class NotedRows {
  readonly #database: DatabaseSync;
  #noted: StatementSync | undefined;
  readonly #rows = new Map<FactTable, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** All rows that are there, for a process that has just started. Nothing may be open. */
  readAll(facts: DurableFacts): void {
    if (!this.#install()) return;
    this.#database.exec("DELETE FROM temp.noted_rows");
    for (const table of tables)
      for (const row of this.#database
        .prepare(`SELECT ${factTables[table]} FROM main.${table}`)
        .all())
        facts.read(table, row);
  }

  /** Rows that were written since the last call, as they are now: everything is durable. */
  read(facts: DurableFacts): void {
    // Before the first commit there was no table to watch.
    if (this.#noted === undefined) {
      this.readAll(facts);
      return;
    }
    const noted = this.#noted.all();
    if (noted.length === 0) return;
    for (const { name } of noted) {
      const table = name as FactTable;
      for (const row of this.#rows.get(table)?.all() ?? [])
        facts.read(table, row);
    }
    this.#database.exec("DELETE FROM temp.noted_rows");
  }

  /** False if the node has not made its tables yet. */
  #install(): boolean {
    if (this.#noted !== undefined) return true;
    const database = this.#database;
    const made = database
      .prepare("SELECT 1 FROM main.sqlite_schema WHERE name = 'records'")
      .get();
    if (made === undefined) return false;
    const events = ["INSERT", "UPDATE"];
    const triggers = tables.flatMap((table) =>
      events.map(
        (event) =>
          `CREATE TEMP TRIGGER note_${event}_${table} AFTER ${event} ON main.${table} BEGIN
             INSERT INTO noted_rows VALUES ('${table}', NEW.rowid);
           END;`,
      ),
    );
    database.exec(
      `PRAGMA temp_store = MEMORY;
       CREATE TEMP TABLE noted_rows (name TEXT, number INTEGER);
       ${triggers.join("\n")}`,
    );
    for (const table of tables)
      this.#rows.set(
        table,
        database.prepare(
          `SELECT ${factTables[table]} FROM main.${table}
           WHERE rowid IN (SELECT number FROM temp.noted_rows WHERE name = '${table}')`,
        ),
      );
    this.#noted = database.prepare("SELECT DISTINCT name FROM temp.noted_rows");
    return true;
  }
}
