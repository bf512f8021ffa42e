import type { Row } from "./database.ts";

/** Reads a column that always holds text. */
export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw new Error(`The column ${column} holds no text.`);
}

/** Reads a column that holds text or nothing. */
export function optionalTextOf(row: Row, column: string): string | undefined {
  const value = row[column];
  if (value === null || value === undefined) return undefined;
  return textOf(row, column);
}

/** Reads a column that always holds a number. */
export function numberOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === "number") return value;
  throw new Error(`The column ${column} holds no number.`);
}

/** Reads a column that holds a number or nothing. */
export function optionalNumberOf(row: Row, column: string): number | undefined {
  const value = row[column];
  if (value === null || value === undefined) return undefined;
  return numberOf(row, column);
}

/** Reads a column that holds JSON which this node wrote. */
export function jsonOf(row: Row, column: string): unknown {
  return JSON.parse(textOf(row, column));
}
