import { diskIsFull, diskIsReadOnly, diskProblemOf } from "./disk-problem.ts";

/**
 * A store is in use by another process, was written by a newer version, is damaged, differs from its log, or is on a disk
 * that fails.
 */
export type StoreErrorCode =
  "LOCKED" | "NEWER" | "CORRUPT" | "DIVERGED" | "FAILED";

/** A store cannot be used, or a commit did not happen. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(
    code: StoreErrorCode,
    message: string,
    options: { readonly cause?: unknown } = {},
  ) {
    super(message, options);
    this.code = code;
  }
}

/** A row that nobody can have written. */
export function corrupt(
  table: string,
  key: string,
  problem: string,
): StoreError {
  return new StoreError(
    "CORRUPT",
    `The row ${key} of table ${table} is damaged: ${problem}. Restore the file from a backup, or remove it to start anew.`,
  );
}

/** Says what SQLite's error means for the file. Other errors are ours, and stay as they are. */
export function translate(file: string, error: unknown): Error {
  if (!(error instanceof Error))
    return new Error(`${file} cannot be used.`, { cause: error });
  switch (primaryCode(error)) {
    case 5: // SQLITE_BUSY
    case 6: // SQLITE_LOCKED
      return new StoreError(
        "LOCKED",
        `${file} is in use by another process. Stop that node first, or use another directory.`,
        { cause: error },
      );
    case 11: // SQLITE_CORRUPT
    case 26: // SQLITE_NOTADB
      return new StoreError(
        "CORRUPT",
        `${file} is damaged, or is no database. Restore it from a backup, or remove it to start anew.`,
        { cause: error },
      );
    case 8: // SQLITE_READONLY
      return failed(diskIsReadOnly(file), error);
    case 13: // SQLITE_FULL
      return failed(diskIsFull(file), error);
    case 10: // SQLITE_IOERR
    case 14: // SQLITE_CANTOPEN
    case 23: // SQLITE_AUTH
      return failed(`${file} cannot be used: ${error.message}.`, error);
    default:
      return fromSystem(file, error);
  }
}

/** Says what an error of the operating system means for the file. */
export function fromSystem(file: string, error: Error): Error {
  const problem = diskProblemOf(file, error);
  if (problem !== undefined) return failed(problem, error);
  switch (Reflect.get(error, "code")) {
    case "EIO":
    case "ENOENT":
    case "EMFILE":
    case "ENFILE":
      return failed(`${file} cannot be used: ${error.message}.`, error);
    default:
      return error;
  }
}

function failed(problem: string, error: Error): StoreError {
  const message = `${problem} Nothing that was committed is lost.`;
  return new StoreError("FAILED", message, { cause: error });
}

/** The number of an error of SQLite, without its details; 0 for other errors. */
function primaryCode(error: Error): number {
  const code: unknown = Reflect.get(error, "errcode");
  return typeof code === "number" ? code & 0xff : 0;
}
