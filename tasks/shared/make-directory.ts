import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a directory for one user, and those above it. Throws an error of the operating system, with its code and path. */
export function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    // Of a read-only disk Node only says that the directory is not there.
    let missing = path;
    while (!existsSync(dirname(missing))) missing = dirname(missing);
    try {
      accessSync(dirname(missing), constants.W_OK);
    } catch (refusal) {
      throw refusal instanceof Error
        ? Object.assign(refusal, { path: missing })
        : refusal;
    }
    throw error;
  }
}
