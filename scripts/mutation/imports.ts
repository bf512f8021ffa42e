/** Which Solidity tests take in which contracts. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * How tests relate to a contract file. A test may use what it imports to say what it expects, so it must be compiled
 * together with each mutant of that: otherwise it would compare the mutant with the original, and kill what in truth
 * nobody would notice. All other tests meet a mutant only as deployed code, and need not be compiled again.
 */
export interface Relations {
  /** Tests that import the file, themselves or through what tests share. */
  readonly bound: readonly string[];
  /** Those of them that import it themselves: the likeliest to notice. */
  readonly direct: readonly string[];
  /** All others. */
  readonly free: readonly string[];
}

/** Reads the imports of a project's tests, and answers for any contract file. */
export function readRelations(root: string): (file: string) => Relations {
  const files = globSync(["test/**/*.sol", "contracts/testing/**/*.sol"], {
    cwd: root,
  }).map((file) => file.replaceAll("\\", "/"));
  const imports = new Map(
    files.map((file) => [file, importsOf(root, file)] as const),
  );
  const reaches = (from: string, file: string): boolean =>
    (imports.get(from) ?? []).some(
      (next) => next === file || reaches(next, file),
    );
  const tests = files.filter((file) => file.endsWith(".t.sol")).sort();
  return (file) => ({
    bound: tests.filter((test) => reaches(test, file)),
    direct: tests.filter((test) => imports.get(test)?.includes(file)),
    free: tests.filter((test) => !reaches(test, file)),
  });
}

function importsOf(root: string, file: string): string[] {
  const content = readFileSync(path.join(root, file), "utf8");
  const imports = content.matchAll(/^import [^;]*?"(\.[^"]+)";/gm);
  return Array.from(imports, ([, imported = ""]) =>
    path.posix.join(path.posix.dirname(file), imported),
  );
}
