/**
 * Keeps the lockfile usable on every platform and with every registry; `--fix` repairs what can be repaired.
 *
 * - No `engines` on EDR: npm under Node 20 skips optional packages whose engines do not fit, without a word, and
 *   Hardhat then finds no chain. The Node that runs Hardhat comes from the `node` package and does fit.
 * - All optional platform packages that a package names are there: npm forgets some when a lockfile is made on one
 *   platform under an old Node.
 * - No addresses of a registry.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

interface LockedPackage {
  engines?: unknown;
  resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lockfile {
  readonly packages: Record<string, LockedPackage>;
}

const isEdr = (name: string): boolean =>
  name.includes("node_modules/@nomicfoundation/edr");

/** What is wrong with a lockfile, one sentence each. */
export function findProblems({ packages }: Lockfile): string[] {
  return Object.entries(packages).flatMap(
    ([name, { engines, resolved, optionalDependencies = {} }]) => [
      ...(isEdr(name) && engines !== undefined
        ? [`${name} has "engines"`]
        : []),
      ...(resolved === undefined ? [] : [`${name} has "resolved"`]),
      ...Object.keys(optionalDependencies)
        .filter((optional) => isMissing(packages, name, optional))
        .map((optional) => `${name} names ${optional}, which is missing`),
    ],
  );
}

/** Removes what must not be there. What is missing cannot be made up. */
export function repair({ packages }: Lockfile): void {
  for (const [name, locked] of Object.entries(packages)) {
    if (isEdr(name)) delete locked.engines;
    delete locked.resolved;
  }
}

function isMissing(
  packages: Lockfile["packages"],
  name: string,
  dependency: string,
): boolean {
  const folders = name
    .split("/node_modules/")
    .map((_, depth, parts) => parts.slice(0, depth + 1));
  const places = folders.map(
    (parts) => `${parts.join("/node_modules/")}/node_modules/${dependency}`,
  );
  return [`node_modules/${dependency}`, ...places].every(
    (place) => packages[place] === undefined,
  );
}

if (import.meta.main) {
  const file = path.resolve(import.meta.dirname, "../package-lock.json");
  const lockfile = JSON.parse(readFileSync(file, "utf8")) as Lockfile;
  if (process.argv.includes("--fix")) {
    repair(lockfile);
    writeFileSync(file, `${JSON.stringify(lockfile, null, 2)}\n`);
  }
  const problems = findProblems(lockfile);
  if (problems.length > 0) {
    console.error(problems.join("\n"));
    console.error(
      "Make it again under Node 24 (npx -p node@24 npm install), then: node scripts/lockfile.ts --fix",
    );
    process.exitCode = 1;
  }
}
