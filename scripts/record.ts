/** Remembers what a check has looked at, so that it need not look again while that is the same. */
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");

/** What a check depends on. */
export interface Inputs {
  /** Patterns, from the root of the repository. */
  readonly files: readonly string[];
  /** Packages whose versions matter. */
  readonly packages: readonly string[];
}

/** A hash of everything that a check depends on. */
export function hashOf({ files, packages }: Inputs): string {
  const hash = createHash("sha256");
  for (const file of globSync([...files], { cwd: root }).sort())
    hash
      .update(`${file.replaceAll("\\", "/")}\0`)
      .update(readFileSync(path.join(root, file)))
      .update("\0");
  for (const name of packages) {
    const file = path.join(root, "node_modules", name, "package.json");
    const { version } = JSON.parse(readFileSync(file, "utf8")) as {
      readonly version: string;
    };
    hash.update(`${name}@${version}\0`);
  }
  return hash.digest("hex");
}

/** Whether the check has passed for this very hash. */
export function isRecorded(record: string, hash: string): boolean {
  const file = path.join(root, record);
  if (!existsSync(file)) return false;
  const { inputs } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly inputs?: unknown;
  };
  return inputs === hash;
}

/** Writes down that the check has passed. */
export function writeRecord(record: string, hash: string): void {
  const json = JSON.stringify({ inputs: hash }, null, 2);
  writeFileSync(path.join(root, record), `${json}\n`);
}
