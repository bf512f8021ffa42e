import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** This tree. */
export const root = path.resolve(import.meta.dirname, "../../..");

/** Generated, and the same for all revisions that have the same contracts. */
const generated = ["dist/artifacts", "src/typechain"];

/** The sources of another revision. */
export interface Checkout {
  readonly folder: string;
  readonly remove: () => void;
}

/** The tree in a folder, or of a git revision: then it is written to a temporary folder, with the packages of this one. */
export function openCheckout(source: string): Checkout {
  if (existsSync(source) && statSync(source).isDirectory())
    return { folder: path.resolve(source), remove: () => undefined };
  const folder = mkdtempSync(path.join(tmpdir(), "bench-tree-"));
  const clean = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", clean);
  extract(source, folder);
  symlinkSync(
    path.join(root, "node_modules"),
    path.join(folder, "node_modules"),
  );
  for (const made of generated)
    if (existsSync(path.join(root, made)))
      cpSync(path.join(root, made), path.join(folder, made), {
        recursive: true,
      });
  // Compiles only if its contracts are others.
  const compile = path.join(folder, "scripts/contracts.ts");
  execFileSync(process.execPath, [compile], { cwd: folder, stdio: "ignore" });
  return {
    folder,
    remove: () => {
      process.off("exit", clean);
      clean();
    },
  };
}

function extract(revision: string, folder: string): void {
  const archive = path.join(folder, "tree.tar");
  const args = ["archive", "--output", archive, `${revision}^{tree}`];
  execFileSync("git", args, { cwd: root });
  execFileSync("tar", ["-xf", archive, "-C", folder]);
  rmSync(archive);
}
