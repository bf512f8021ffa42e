// Measures how close four nodes that spend one state come to what the chain itself can do:
// `node scripts/bench-throughput.ts [--chain in-process --bundle 1 --intents 1000 --rounds 3 --mining 100]`.
import { parseArgs } from "node:util";

import { chainNames } from "./bench/chains.ts";
import { tableOf } from "./bench/goals.ts";
import { bundleSizes, measureThroughput } from "./bench/throughput.ts";

const { values } = parseArgs({
  options: {
    chain: { type: "string", multiple: true },
    bundle: { type: "string", multiple: true },
    intents: { type: "string", default: "1000" },
    "bundled-intents": { type: "string", default: "4000" },
    rounds: { type: "string", default: "3" },
    mining: { type: "string", default: "100" },
    policy: { type: "string", default: "rotating" },
  },
});
const rows = [];
for (const chain of chainNames) {
  if (values.chain !== undefined && !values.chain.includes(chain)) continue;
  const results = await measureThroughput({
    chain,
    mining: values.mining === "automine" ? "automine" : Number(values.mining),
    intents: Number(values.intents),
    bundledIntents: Number(values["bundled-intents"]),
    rounds: Number(values.rounds),
    bundles: values.bundle?.map(Number) ?? bundleSizes,
    settings: { policy: values.policy === "sticky" ? "sticky" : "rotating" },
    tell: (line) => {
      console.error(line);
    },
  });
  rows.push(...results);
}
console.log(tableOf(rows.map((row) => ({ ...row }))));
