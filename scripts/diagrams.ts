/** Writes docs/state-machines.md from the tables; `--check` fails if it is not up to date. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { coordinatorTable } from "../src/protocol/coordinator/table.ts";
import { coordinatorTransactionTable } from "../src/protocol/coordinator/transaction/table.ts";
import {
  arrowsOf,
  diagramOf,
  impossiblePairsOf,
  type Arrow,
  type ImpossiblePair,
} from "../src/protocol/diagram.ts";
import { senderTable } from "../src/protocol/sender/table.ts";
import { senderTransactionTable } from "../src/protocol/sender/transaction/table.ts";

interface Machine {
  readonly arrows: readonly Arrow[];
  readonly impossible: readonly ImpossiblePair[];
}

const machines: Readonly<Record<string, Machine>> = {
  Sender: machineOf(senderTable),
  "Sender's transaction": machineOf(senderTransactionTable),
  Coordinator: machineOf(coordinatorTable),
  "Coordinator's transaction": machineOf(coordinatorTransactionTable),
};

function machineOf(table: Parameters<typeof arrowsOf>[0]): Machine {
  return { arrows: arrowsOf(table), impossible: impossiblePairsOf(table) };
}

function impossibleSection(pairs: readonly ImpossiblePair[]): string[] {
  if (pairs.length === 0) return [];
  return [
    "",
    "Impossible:",
    "",
    "| State | Event | Why |",
    "| --- | --- | --- |",
    ...pairs.map(({ from, event, why }) => `| ${from} | ${event} | ${why} |`),
  ];
}

/** The page, as it must be. */
export function stateMachinesPage(): string {
  const sections = Object.entries(machines).map(
    ([name, { arrows, impossible }]) =>
      [
        `## ${name}`,
        "",
        "```mermaid",
        diagramOf(arrows),
        "```",
        "",
        "| From | Event | When | To | Does |",
        "| --- | --- | --- | --- | --- |",
        ...arrows.map(
          ({ from, event, when, to, run }) =>
            `| ${from} | ${event} | ${when ?? ""} | ${to} | ${run.join(", ")} |`,
        ),
        ...impossibleSection(impossible),
      ].join("\n"),
  );
  return [
    "# State machines",
    "",
    "Generated from the tables in `src/protocol` by `npm run diagrams`. Do not edit.",
    "",
    "The first rule whose guard holds is taken. An event that is not listed for a state is ignored and counted. An impossible one stops the node.",
    "",
    sections.join("\n\n"),
    "",
  ].join("\n");
}

if (import.meta.main) {
  const file = path.resolve(import.meta.dirname, "../docs/state-machines.md");
  const page = stateMachinesPage();
  if (!process.argv.includes("--check")) writeFileSync(file, page);
  else if (readFileSync(file, "utf8") !== page) {
    console.error(
      "docs/state-machines.md is not up to date. Run: npm run diagrams",
    );
    process.exitCode = 1;
  }
}
