/**
 * Measures everything that has a goal, and says which goals are missed: `npm run bench`. What a second is worth differs from
 * machine to machine, so figures are ratios within the run.
 */
import { parseArgs } from "node:util";

import { writeDocs } from "./bench/docs.ts";
import { goalRows, missedGoals, tableOf } from "./bench/goals.ts";
import type { Findings } from "./bench/part.ts";
import { parts } from "./bench/parts.ts";
import { runPart } from "./bench/run-part.ts";

const names = [...parts.keys()];
const help = `npm run bench -- [options]

  --only a,b     only these parts:
${names.map((name) => `                   ${name.padEnd(12)}${parts.get(name)?.about ?? ""}`).join("\n")}
  --quick        less of everything, to see that it works; figures mean little, so docs do not get them
  --against x    compares with the tree in this folder, or of this git revision, in the same run: cpu
  --json         one object per line, and nothing else on stdout
  --write-docs   puts the tables into docs/performance.md, and the picture next to it
  --help         this`;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    against: { type: "string" },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    "write-docs": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** The parts that are asked for; undefined if one of them is none. */
function chosen(only: string | undefined): readonly string[] | undefined {
  const asked = only?.split(",") ?? names;
  return asked.every((name) => parts.has(name)) ? asked : undefined;
}

function print(name: string, { sections, goals }: Findings): void {
  if (!values.json) {
    for (const { title, rows } of sections)
      console.log(`${title}\n${tableOf(rows)}\n`);
    return;
  }
  const tell = (fact: object): void => {
    console.log(JSON.stringify({ version: 1, part: name, ...fact }));
  };
  for (const { title: measure, rows } of sections)
    for (const row of rows) tell({ measure, ...row });
  for (const goal of goals) tell({ measure: "goal", ...goal });
}

const asked = chosen(values.only);
if (values.help) console.log(help);
else if (asked === undefined || (values.quick && values["write-docs"])) {
  console.error(help);
  process.exitCode = 2;
} else {
  const findings = new Map<string, Findings>();
  for (const name of asked) {
    const found = await runPart(name, {
      isQuick: values.quick,
      against: values.against,
    });
    findings.set(name, found);
    print(name, found);
    if (values["write-docs"] && found.sections.length > 0)
      await writeDocs(findings);
  }
  const goals = [...findings.values()].flatMap((found) => found.goals);
  if (!values.json) console.log(tableOf(goalRows(goals)));
  const missed = missedGoals(goals);
  for (const goal of missed) console.error(`Goal missed: ${goal}.`);
  if (missed.length > 0) process.exitCode = 1;
}
