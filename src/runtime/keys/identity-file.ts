import { createPrivateKey, generateKeyPairSync, randomUUID } from "node:crypto";
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
import { join } from "node:path";

import { type Identity, identityOf } from "./identity.ts";
import { KeyError } from "./key-error.ts";

/** Where a node keeps its identity, in its data directory. */
export const identityFileName = "identity.pem";

/** The identity that is kept in a directory; a new one if there is none yet. Nobody but the owner can read the file. */
export function loadIdentity(options: {
  readonly directory: string;
}): Identity {
  const file = join(options.directory, identityFileName);
  const kept = readPrivately(file);
  if (kept !== undefined) return parseIdentity(file, kept);
  create(options.directory, file);
  // Somebody else may have been faster. Then the identity is theirs.
  return parseIdentity(file, readPrivately(file) ?? "");
}

/** The text of a file that is for its owner only; undefined if there is no such file. */
function readPrivately(file: string): string | undefined {
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
        `${file} can be read by other users (mode ${mode.toString(8)}). If nobody has, run: chmod 600 ${file}. If somebody may have, remove it, and give the other nodes the new public key.`,
      );
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

/** Either the whole file is there afterwards, or nothing is. A file that is there already stays. */
function create(directory: string, file: string): void {
  const draft = join(directory, `.${identityFileName}.${randomUUID()}`);
  const { privateKey } = generateKeyPairSync("ed25519");
  try {
    writeFileSync(draft, privateKey.export({ type: "pkcs8", format: "pem" }), {
      mode: 0o600,
      flag: "wx",
      flush: true,
    });
    linkSync(draft, file);
    flushDirectory(directory);
  } catch (error) {
    if (!hasCode(error, "EEXIST"))
      throw new KeyError("UNREADABLE", `${file} cannot be created.`, {
        cause: error,
      });
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

function parseIdentity(file: string, pem: string): Identity {
  try {
    return identityOf(createPrivateKey(pem));
  } catch {
    // The cause may quote the file.
    throw new KeyError(
      "INVALID",
      `${file} is no private key of Ed25519. Restore it from a backup, or remove it, and give the other nodes the new public key.`,
    );
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && Reflect.get(error, "code") === code;
}
