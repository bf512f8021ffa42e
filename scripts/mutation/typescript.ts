/** The TypeScript tests of the ledger, for mutants that no Solidity test kills. */
import { spawn } from "node:child_process";
import { globSync, writeFileSync } from "node:fs";
import path from "node:path";

import type { Answer } from "./pool.ts";

const HARDHAT = "node_modules/hardhat/dist/src/cli.js";
const BUILD = ["build", "--no-tests"];
const TEST = ["test", "mocha", "--no-compile", "--bail"];
const TIMEOUT_MS = 30 * 60_000;

/** Builds a workspace with one file changed as we build for publication, and runs `test/ledger` there. */
export async function runTypeScriptTests(options: {
  readonly folder: string;
  readonly file: string;
  readonly content: string;
  readonly original: Buffer;
}): Promise<Answer> {
  const { folder, file, content, original } = options;
  const tests = globSync("test/ledger/**/*.ts", { cwd: folder });
  if (tests.length === 0) return { type: "Passed" };
  const changed = path.join(folder, file);
  try {
    writeFileSync(changed, content);
    for (const build of [["scripts/contracts.ts"], [HARDHAT, ...BUILD]]) {
      const reason = await runNode(folder, build);
      if (reason !== "Passed") return { type: "NotCompiled", reason };
    }
    const test = await runNode(folder, [HARDHAT, ...TEST, ...tests]);
    return test === "Passed" ? { type: "Passed" } : { type: "Failed", test };
  } finally {
    writeFileSync(changed, original);
  }
}

/** `Passed`, or the line that says what went wrong. */
async function runNode(
  folder: string,
  commandArguments: readonly string[],
): Promise<string> {
  return await new Promise((resolve) => {
    const child = spawn(process.execPath, commandArguments, {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: TIMEOUT_MS,
      killSignal: "SIGKILL",
    });
    let output = "";
    const collect = (chunk: Buffer): void => {
      output += chunk.toString("utf8");
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.on("close", (code) => {
      resolve(code === 0 ? "Passed" : firstFailure(output));
    });
  });
}

function firstFailure(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  const failure =
    lines.find((line) => line.startsWith("1) ")) ??
    lines.find((line) => /error/i.test(line));
  return failure ?? "no answer";
}
