/**
 * Runs all tests. Those that take longest come first, and those that run nodes in processes of their own come last, when
 * nothing else needs the machine. `npx hardhat test` runs the same in the order of their names.
 *
 *     npm test
 */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");

const first = [
  "test/ledger/differential.ts",
  "test/simulation/mutants/run.ts",
  "test/simulation/domains.ts",
  "test/simulation/seeds.ts",
  "test/runtime/cluster/kill.ts",
];
const last = ["test/torture/run.ts", "test/torture/stories.ts"];

const all = globSync("test/**/*.ts", { cwd: root })
  .map((file) => file.replaceAll("\\", "/"))
  .sort();
for (const file of [...first, ...last])
  if (!all.includes(file)) throw new Error(`There is no ${file}.`);
const others = all.filter(
  (file) => !first.includes(file) && !last.includes(file),
);

function hardhat(...args: readonly string[]): boolean {
  const { status } = spawnSync("hardhat", args, {
    cwd: root,
    stdio: "inherit",
  });
  return status === 0;
}

const isGood = [
  hardhat("test", "solidity"),
  hardhat("test", "mocha", ...first, ...others),
  hardhat("test", "mocha", ...last),
].every(Boolean);
process.exitCode = isGood ? 0 : 1;
