import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Everything in a folder: each path with its rights and, if it is a file, the hash of its content. */
export function snapshotOf(folder: string): readonly string[] {
  return (
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      // Hardhat's loader of TypeScript keeps what it has compiled, and tidies up when it likes.
      .filter((name) => !/(^|[\\/])tsx-\d+([\\/]|$)/.test(name))
      .sort()
      .map((name) => {
        const file = path.join(folder, name);
        const { mode } = lstatSync(file);
        const isFile = lstatSync(file).isFile();
        const content = isFile ? hashOf(readFileSync(file)) : "";
        return `${name} ${mode.toString(8)} ${content}`;
      })
  );
}

function hashOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
