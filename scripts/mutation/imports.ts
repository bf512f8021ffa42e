/** Which contracts the Solidity tests take in. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * Files that tests import themselves. A test may use such a file to say what it expects, so it must be compiled
 * together with each mutant of it: otherwise the test would compare the mutant with the original, and kill what in
 * truth nobody would notice.
 */
export function filesInTests(root: string): Set<string> {
  const tests = globSync(["test/**/*.sol", "contracts/testing/**/*.sol"], {
    cwd: root,
  });
  return new Set(
    tests.flatMap((test) => {
      const content = readFileSync(path.join(root, test), "utf8");
      const imports = content.matchAll(/^import [^;]*?"(\.[^"]+)";/gm);
      return Array.from(imports, ([, imported = ""]) =>
        path.posix.join(
          path.posix.dirname(test.replaceAll("\\", "/")),
          imported,
        ),
      );
    }),
  );
}
