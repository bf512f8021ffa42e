import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { translate } from "../store-error.ts";

/** A file without tables, a store whose own disk is its log, or one that has its place in a log elsewhere. */
export type StoreKind = "empty" | "alone" | "logged";

/**
 * Tells whether a store belongs to a log. Its bytes stay as they are. Throws a {@link StoreError} if another process has it, or it cannot be
 * read.
 */
export function storeKindOf(file: string): StoreKind {
  if (!existsSync(file)) return "empty";
  try {
    // A connection that may write moves what is only in the log of SQLite to the file; one that only reads leaves a file behind.
    const readOnly = isUnfinished(file);
    const database = new DatabaseSync(file, { readOnly, timeout: 0 });
    try {
      if (!readOnly) database.exec("PRAGMA locking_mode = EXCLUSIVE");
      return kindOf(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw translate(file, error);
  }
}

function isUnfinished(file: string): boolean {
  const { size } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? {
    size: 0,
  };
  return size > 0;
}

/** The same of a store that is open. */
export function kindOf(database: DatabaseSync): StoreKind {
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({ name }) => String(name));
  // A replica makes the table with its place first, and then everything in one step.
  const isEmpty = tables.every(
    (name) => name === "applied" || name.startsWith("sqlite_"),
  );
  if (isEmpty) return "empty";
  const hasPlace =
    tables.includes("applied") &&
    database.prepare("SELECT 1 FROM applied").get() !== undefined;
  return hasPlace ? "logged" : "alone";
}
