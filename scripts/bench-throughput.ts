// Measures how close four nodes that spend one state come to what a chain can do, with all that can be chosen:
// `npm run bench:throughput -- [--chain in-process --bundle 1 --intents 1000 --rounds 3 --mining 100 --policy rotating]`.
import { parseArgs } from "node:util";

import { chainNames } from "./bench/chains.ts";
import { type Row, tableOf } from "./bench/goals.ts";
import { bundleSizes, measureThroughput } from "./bench/throughput.ts";

const { values } = parseArgs({
  options: {
    chain: { type: "string", multiple: true },
    bundle: { type: "string", multiple: true },
    intents: { type: "string", default: "1000" },
    rounds: { type: "string", default: "3" },
    mining: { type: "string", default: "100" },
    policy: { type: "string", default: "sticky" },
    json: { type: "boolean", default: false },
  },
});
const rows: Row[] = [];
for (const chain of chainNames) {
  if (values.chain !== undefined && !values.chain.includes(chain)) continue;
  for (const bundleMax of values.bundle?.map(Number) ?? bundleSizes) {
    const result = await measureThroughput({
      chain,
      bundleMax,
      mining: values.mining === "automine" ? "automine" : Number(values.mining),
      intents: Number(values.intents),
      rounds: Number(values.rounds),
      settings: {
        policy: values.policy === "rotating" ? "rotating" : "sticky",
      },
      tell: (line) => {
        console.error(`${chain}, bundles of at most ${bundleMax}: ${line}`);
      },
    });
    rows.push({ chain, bundleMax, ...result });
  }
}
if (values.json)
  for (const row of rows) console.log(JSON.stringify({ version: 1, ...row }));
else console.log(tableOf(rows));
