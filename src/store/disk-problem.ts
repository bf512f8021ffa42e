import { basename, dirname } from "node:path";

/** Why nothing can be written to the disk of a file, with the next step; undefined if the error is about something else. */
export function diskProblemOf(
  file: string,
  error: unknown,
): string | undefined {
  // A port may be forbidden, too.
  if (Reflect.get(Object(error), "port") !== undefined) return undefined;
  switch (Reflect.get(Object(error), "code")) {
    case "ENOSPC":
    case "EDQUOT":
      return diskIsFull(file);
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return diskIsReadOnly(file);
    default:
      return undefined;
  }
}

export function diskIsFull(file: string): string {
  return `The disk with the folder ${dirname(file)} is full, and ${basename(file)} cannot grow. Make room on it.`;
}

export function diskIsReadOnly(file: string): string {
  return `The folder ${dirname(file)} or its disk is read-only, and ${basename(file)} cannot be written. Make both writable for the user of this process.`;
}
