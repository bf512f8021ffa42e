/**
 * Runs the tests, those that take longest first. Those that keep many processes busy for minutes need the machine for
 * themselves, and are only run when they are asked for.
 *
 *     npm test
 *     npm run test:processes
 */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

const root = path.resolve(import.meta.dirname, "..");

const first = [
  "test/ledger/differential.ts",
  "test/simulation/mutants/run.ts",
  "test/simulation/domains.ts",
  "test/simulation/seeds.ts",
  "test/runtime/cluster/kill.ts",
];
const apart = ["test/torture/run.ts", "test/torture/stories.ts"];

const all = globSync("test/**/*.ts", { cwd: root })
  .map((file) => file.replaceAll("\\", "/"))
  .sort();
for (const file of [...first, ...apart])
  if (!all.includes(file)) throw new Error(`There is no ${file}.`);
const others = all.filter(
  (file) => !first.includes(file) && !apart.includes(file),
);

function hardhat(...args: readonly string[]): boolean {
  const { status } = spawnSync("hardhat", args, {
    cwd: root,
    stdio: "inherit",
  });
  return status === 0;
}

const { values: options } = parseArgs({
  options: { processes: { type: "boolean", default: false } },
});
const isGood = options.processes
  ? // One after the other: what they wait for takes longer when both want the machine.
    apart.map((file) => hardhat("test", "mocha", file)).every(Boolean)
  : [
      hardhat("test", "solidity"),
      hardhat("test", "mocha", ...first, ...others),
    ].every(Boolean);
process.exitCode = isGood ? 0 : 1;
