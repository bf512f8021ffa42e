/**
 * Runs all tests: those in Solidity beside those in TypeScript, and of the latter those first that take longest, most of
 * it waiting. `npx hardhat test` runs the same, one after the other.
 *
 *     npm test
 */
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");

/** The files that decide how long everything takes. */
const first = [
  "test/torture/run.ts",
  "test/torture/stories.ts",
  "test/ledger/differential.ts",
  "test/runtime/cluster/kill.ts",
  "test/simulation/mutants/run.ts",
  "test/simulation/domains.ts",
  "test/simulation/seeds.ts",
];

const all = globSync("test/**/*.ts", { cwd: root })
  .map((file) => file.replaceAll("\\", "/"))
  .sort();
for (const file of first)
  if (!all.includes(file)) throw new Error(`There is no ${file}.`);
const files = [...first, ...all.filter((file) => !first.includes(file))];

/** Runs Hardhat, and gives its exit code. What is held back is printed when it has ended. */
async function hardhat(
  args: readonly string[],
  output: "shown" | "held back",
): Promise<number> {
  return await new Promise((resolve, reject) => {
    const child = spawn("hardhat", [...args], {
      cwd: root,
      stdio: ["ignore", output === "shown" ? "inherit" : "pipe", "inherit"],
    });
    const held: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => held.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      process.stdout.write(Buffer.concat(held));
      resolve(code ?? 1);
    });
  });
}

// Everything is compiled once, before two want it at the same time.
const built = await hardhat(["build"], "shown");
const codes =
  built === 0
    ? await Promise.all([
        hardhat(["test", "solidity"], "held back"),
        hardhat(["test", "mocha", ...files], "shown"),
      ])
    : [built];
process.exitCode = codes.find((code) => code !== 0) ?? 0;
