/**
 * Runs the Solidity tests with coverage and fails unless they reach every line of the contracts. A run that passes writes
 * down what it looked at. With --changed, it does not run again while that is the same.
 *
 *     npm run coverage [-- --changed]
 */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

import { hashOf, isRecorded, writeRecord } from "./record.ts";

const { values: options } = parseArgs({
  options: { changed: { type: "boolean" } },
});

const root = path.resolve(import.meta.dirname, "..");
const report = path.join(root, "coverage/lcov.info");

/** Lines of each contract that no test reached, by file. */
function missedLines(lcov: string): Map<string, number[]> {
  const missed = new Map<string, number[]>();
  let file = "";
  for (const line of lcov.split("\n")) {
    const [key = "", value = ""] = line.split(/:(.*)/s);
    if (key === "SF") file = path.relative(root, path.resolve(root, value));
    if (file.startsWith("contracts/") && key === "SF") missed.set(file, []);
    const [number, hits] = value.split(",").map(Number);
    if (key === "DA" && hits === 0 && number !== undefined)
      missed.get(file)?.push(number);
  }
  return missed;
}

/** Gives whether every line is reached, and says which are not. */
function isCovered(): boolean {
  rmSync(report, { force: true });
  execFileSync("hardhat", ["test", "solidity", "--coverage"], {
    cwd: root,
    stdio: "inherit",
  });
  const missed = missedLines(readFileSync(report, "utf8"));
  if (missed.size === 0) throw new Error("The report names no contract");
  const gaps = [...missed].filter(([, lines]) => lines.length > 0);
  for (const [file, lines] of gaps)
    console.error(`${file}: no test reaches line ${lines.join(", ")}`);
  if (gaps.length > 0) return false;
  console.log(`Every line of ${missed.size} contracts is reached.`);
  return true;
}

const record = "test/contracts/covered.json";
const inputs = hashOf({
  files: [
    "contracts/**/*.sol",
    "test/contracts/**/*.sol",
    "hardhat.config.ts",
    "scripts/{compiler,coverage,record,shared-compilations}.ts",
  ],
  packages: ["@openzeppelin/contracts", "hardhat", "solc"],
});
if (options.changed === true && isRecorded(record, inputs))
  console.log("Nothing has changed since every line was reached.");
else if (isCovered()) writeRecord(record, inputs);
else process.exitCode = 1;
