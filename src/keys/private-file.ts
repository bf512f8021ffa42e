import { randomUUID } from "node:crypto";
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

import { diskProblemOf } from "../store/disk-problem.ts";
import { KeyError } from "./key-error.ts";

/**
 * The text of a file that nobody but its owner can read; a new one, from `create`, if there is none yet. `whenSeen` says
 * what to do when somebody else has read it.
 */
export function loadPrivately(
  file: string,
  options: {
    readonly create: () => string | Buffer;
    readonly whenSeen: string;
  },
): string {
  const kept = read(file, options.whenSeen);
  if (kept !== undefined) return kept;
  create(file, options.create());
  // Somebody else may have been faster. Then it is theirs.
  return read(file, options.whenSeen) ?? "";
}

/** Undefined if there is no such file. */
function read(file: string, whenSeen: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw new KeyError("UNREADABLE", `${file} cannot be read.`, {
      cause: error,
    });
  }
  try {
    const mode = fstatSync(descriptor).mode & 0o777;
    if (process.platform !== "win32" && (mode & 0o077) !== 0)
      throw new KeyError(
        "EXPOSED",
        `${file} can be read by other users (mode ${mode.toString(8)}). If nobody has, run: chmod 600 ${file}. If somebody may have, ${whenSeen}.`,
      );
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

/** Either the whole file is there afterwards, or nothing is. A file that is there already stays. */
function create(file: string, content: string | Buffer): void {
  const directory = dirname(file);
  const draft = join(directory, `.${basename(file)}.${randomUUID()}`);
  try {
    writeFileSync(draft, content, { mode: 0o600, flag: "wx", flush: true });
    linkSync(draft, file);
    flushDirectory(directory);
  } catch (error) {
    if (!hasCode(error, "EEXIST"))
      throw new KeyError(
        "UNREADABLE",
        diskProblemOf(file, error) ?? `${file} cannot be created.`,
        {
          cause: error,
        },
      );
  } finally {
    rmSync(draft, { force: true });
  }
}

/** After this, a loss of power does not take the file away. */
function flushDirectory(directory: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && Reflect.get(error, "code") === code;
}
