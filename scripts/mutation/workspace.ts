/** Private copies of the project: mutants never touch the real work tree. */
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** What building and testing the contracts needs. */
const PARTS = [
  "contracts",
  "test",
  "src",
  "tasks",
  "scripts",
  "hardhat.config.ts",
  "package.json",
  "tsconfig.json",
];

const open = new Set<string>();
process.once("exit", () => {
  for (const folder of open) removeWorkspace(folder);
});

/** Copies the project at `root` to a folder, which shares its dependencies. */
export function createWorkspace(
  root: string,
  folder: string = mkdtempSync(path.join(tmpdir(), "mutation-")),
): string {
  open.add(folder);
  for (const part of PARTS) {
    const from = path.join(root, part);
    if (existsSync(from))
      cpSync(from, path.join(folder, part), { recursive: true });
  }
  symlinkSync(
    path.resolve(import.meta.dirname, "../../node_modules"),
    path.join(folder, "node_modules"),
  );
  return folder;
}

/** Deletes a copy. */
export function removeWorkspace(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  open.delete(folder);
}
