/** Writes docs/state-machines.md from the tables; `--check` fails if it is not up to date. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { coordinatorTable } from "../src/protocol/coordinator/table.ts";
import { coordinatorTransactionTable } from "../src/protocol/coordinator/transaction/table.ts";
import { arrowsOf, diagramOf, type Arrow } from "../src/protocol/diagram.ts";
import { senderTable } from "../src/protocol/sender/table.ts";
import { senderTransactionTable } from "../src/protocol/sender/transaction/table.ts";

const machines: Readonly<Record<string, readonly Arrow[]>> = {
  Sender: arrowsOf(senderTable),
  "Sender's transaction": arrowsOf(senderTransactionTable),
  Coordinator: arrowsOf(coordinatorTable),
  "Coordinator's transaction": arrowsOf(coordinatorTransactionTable),
};

/** The page, as it must be. */
export function stateMachinesPage(): string {
  const sections = Object.entries(machines).map(([name, arrows]) =>
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
    ].join("\n"),
  );
  return [
    "# State machines",
    "",
    "Generated from the tables in `src/protocol` by `npm run diagrams`. Do not edit.",
    "",
    "The first rule whose guard holds is taken. An event that is not listed for a state is ignored and counted.",
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
