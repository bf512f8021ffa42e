import { readFileSync } from "node:fs";

import { expect } from "chai";

import { tasks } from "../../tasks/definitions.ts";
import { runHardhat } from "../plugin/helpers/processes.ts";
import { eventsOf } from "./helpers/events.ts";
import { nodeLogEvents } from "./helpers/node-log-events.ts";

interface Option {
  readonly flag: string;
  readonly description: string;
  readonly defaultValue: unknown;
}

/** The tasks by their names without `sequencer:`. Each has a page of that name; subtasks have a part of their task's page. */
const definitions = new Map(
  tasks.flatMap((task) => {
    const name = task.id.join(" ");
    // The tasks are there once more as subtasks of `sequencer`, and some only group others.
    if (!name.startsWith("sequencer:") || !("options" in task)) return [];
    if (!("action" in task)) return [];
    const options = Object.entries(task.options).map(
      ([name, { description, defaultValue }]): Option => ({
        flag: `--${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`,
        description,
        defaultValue,
      }),
    );
    return [[name.replace("sequencer:", ""), options] as const];
  }),
);

/** The page of a task, or the part of it that is about a subtask. */
function pageOf(name: string): string {
  const [page = "", subtask] = name.split(" ");
  const file = new URL(`../../docs/reference/${page}.md`, import.meta.url);
  const text = readFileSync(file, "utf8");
  if (subtask === undefined) return text;
  const parts = text.split(/^## /m);
  return parts.find((part) => part.startsWith(`sequencer:${name}\n`)) ?? "";
}

/** The rows of the first table whose first column has this title, by the names in that column. */
function tableOf(text: string, title: string): Map<string, string> {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${title} `));
  const rest = start === -1 ? [] : lines.slice(start + 2);
  const end = rest.findIndex((line) => !line.startsWith("|"));
  const rows = end === -1 ? rest : rest.slice(0, end);
  return new Map(
    rows.map((row) => [/^\| `([^`]+)`/.exec(row)?.[1] ?? row, row]),
  );
}

const isRequired = ({ description }: Option): boolean =>
  description.endsWith("(required)");

describe("tasks: the reference", () => {
  it("has a page for every task", () => {
    expect([...definitions.keys()]).to.deep.equal([
      "call",
      "database check",
      "database import",
      "database restore",
      "database snapshot",
      "database turns",
      "deploy",
      "drain",
      "explain",
      "group create",
      "group import",
      "group list",
      "group show",
      "identity",
      "master",
      "node",
      "receipt",
      "replicas",
      "run",
      "simulate",
      "status",
      "submit",
      "supervise",
    ]);
  });

  for (const [name, options] of definitions) {
    const events: Readonly<Record<string, readonly string[]>> =
      name === "node" ? nodeLogEvents() : eventsOf(name);

    it(`has the options of sequencer:${name}, and no others`, () => {
      const rows = tableOf(pageOf(name), "Option");
      rows.delete("--network");
      expect([...rows.keys()].sort()).to.deep.equal(
        options.map(({ flag }) => flag).sort(),
      );
    });

    it(`says which options of sequencer:${name} are required`, () => {
      const rows = tableOf(pageOf(name), "Option");
      for (const option of options)
        expect(
          rows.get(option.flag)?.includes("**required**"),
          option.flag,
        ).to.equal(isRequired(option));
    });

    it(`has the lines of sequencer:${name} --json with their fields, and no others`, () => {
      const title = name === "node" ? "`event`" : "`type`";
      const rows = tableOf(pageOf(name), title);
      expect([...rows.keys()].sort()).to.deep.equal(Object.keys(events).sort());
      for (const [event, fields] of Object.entries(events))
        for (const field of fields)
          expect(rows.get(event), event).to.include(`\`${field}\``);
    });
  }
});

describe("tasks: the help", () => {
  for (const [name, options] of definitions)
    it(`says what happens without each option of sequencer:${name}`, () => {
      for (const { flag, description, defaultValue } of options)
        if (defaultValue === undefined)
          expect(description, flag).to.match(/\((required|default: .+)\)$/);
    });

  it("of sequencer lists every task, by the names that work", async function () {
    this.timeout(60_000);
    const { stdout, exitCode } = await runHardhat(["sequencer", "--help"], {});
    expect(exitCode).to.equal(0);
    for (const name of definitions.keys())
      expect(stdout).to.match(
        new RegExp(`^  sequencer ${name.split(" ")[0]} `, "m"),
      );
    const families = {
      database: ["check", "import", "restore", "snapshot", "turns"],
      group: ["create", "import", "list", "show"],
    };
    for (const [family, subtasks] of Object.entries(families)) {
      const words = ["sequencer", family, "--help"];
      const { stdout } = await runHardhat(words, {});
      for (const name of subtasks)
        expect(stdout).to.match(
          new RegExp(`^  sequencer ${family} ${name} `, "m"),
        );
    }
    const help = await runHardhat(["sequencer", "submit", "--help"], {});
    expect(help.exitCode).to.equal(0);
    expect(help.stdout).to.match(/^ {2}--function .*\(required\)$/m);
  });
});
