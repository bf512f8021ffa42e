// Runs nodes in processes of their own under real faults, and checks what they did:
// `npm run torture [-- --minutes 10 --seed 7 --nodes 5 --out DIR]`. Everything is left in DIR, with a report to look at.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

import { summaryOf } from "../test/torture/harness/measures.ts";
import { figuresOf } from "../test/torture/harness/report/figures.ts";
import { usual } from "../test/torture/harness/settings.ts";
import { torture } from "../test/torture/harness/torture.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    nodes: { type: "string", default: String(usual.nodes) },
    out: { type: "string" },
  },
});
const outDir = path.resolve(
  values.out ?? mkdtempSync(path.join(tmpdir(), "torture-")),
);
const options = {
  ...usual,
  seed: Number(values.seed),
  nodes: Number(values.nodes),
  faultMs: Number(values.minutes) * 60_000,
  outDir,
};
console.log(`seed ${options.seed}, everything is kept in ${outDir}`);
const result = await torture(options, (line) => {
  console.log(`${new Date().toISOString()} ${line}`);
});
for (const [what, count] of Object.entries(figuresOf(result.evidence)))
  console.log(`${what}: ${count}`);
for (const { what, heartbeats } of result.measures)
  console.log(`${what}: ${heartbeats?.toFixed(1) ?? "never"} heartbeats`);
for (const { kind, count, median, most } of summaryOf(result.measures))
  console.log(
    `${kind}, nothing else wrong: ${count} times, median ${median?.toFixed(1) ?? "?"}, at most ${most?.toFixed(1) ?? "?"} heartbeats`,
  );
for (const { property, what } of result.violations)
  console.error(`${property}: ${what}`);
console.log(`report: ${path.join(outDir, "report.html")}`);
process.exitCode = result.violations.length === 0 ? 0 : 1;
