import { statSync } from "node:fs";

/** The bytes of a database on the disk, with its journal. */
export function databaseBytes(file: string): number {
  return sizeOf(file) + sizeOf(`${file}-wal`);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
