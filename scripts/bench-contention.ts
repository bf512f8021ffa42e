// Measures four members that all spend one state, with a coordinator and without one:
// `npm run bench:contention [-- --json --intents 200 --block-ms 50]`. Fails only if the coordinated ones made the ledger revert.
import { parseArgs } from "node:util";

import {
  contentionDefaults,
  contentionGoal,
  contentionRows,
  contentionTitle,
  measureContention,
} from "./bench/alone/contention.ts";
import { missedGoals, tableOf } from "./bench/goals.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    intents: { type: "string", default: String(contentionDefaults.intents) },
    "block-ms": { type: "string", default: String(contentionDefaults.blockMs) },
  },
});
const options = {
  intents: Number(values.intents),
  blockMs: Number(values["block-ms"]),
};

const result = await measureContention(options);
const rows = contentionRows(result, options);
const measure = contentionTitle(options);
if (values.json)
  for (const row of rows)
    console.log(JSON.stringify({ version: 1, measure, ...row }));
else console.log(`${measure}\n${tableOf(rows)}`);
for (const goal of missedGoals([contentionGoal(result)])) {
  console.error(`Goal missed: ${goal}.`);
  process.exitCode = 1;
}
