import { expect } from "chai";

import type { RealNodes } from "../../helpers/rpc/real-nodes.ts";
import { runHardhat } from "../../plugin/helpers/processes.ts";

/** Runs a task with `--json` in a process of its own; gives what it printed, line by line. */
export async function runJson(
  exitCode: number,
  ...args: readonly string[]
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const command = await runHardhat([...args, "--json"], {});
  expect(command.exitCode, command.stderr).to.equal(exitCode);
  const lines = command.stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const { version } of lines) expect(version).to.equal(1);
  return lines;
}

/** Expects a task to fail with a code, and with nothing on stdout. */
export async function runRefused(
  code: string,
  ...args: readonly string[]
): Promise<string> {
  const command = await runHardhat(args, {});
  expect(command.exitCode, command.stdout).to.equal(1);
  expect(command.stdout.trim()).to.equal("");
  expect(command.stderr).to.include(`[${code}]`);
  return command.stderr;
}

/** How many transactions the users of a node have sent. */
export async function transactionsOf(
  nodes: RealNodes,
  name: string,
): Promise<number> {
  const query = { limit: 1_000 };
  const all = await nodes.ask<unknown[]>(name, "ptx_queryTransactions", query);
  return all.length;
}
