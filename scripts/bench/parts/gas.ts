import hre from "hardhat";

import { openChain } from "../../../test/helpers/chain.ts";
import {
  gasPerIntent,
  type GasRow,
  measureGas,
} from "../../../test/helpers/gas.ts";
import type { Goal, Row } from "../goals.ts";
import type { Part } from "../part.ts";

const bundles = [1, 10, 50, 100] as const;
const states = [1, 2] as const;
const committees = [3, 10] as const;

/** What the reference implementation needs for each intent; it has no bundles. One was never measured. */
const references = new Map([
  ["1/3", 122_396],
  ["2/3", 148_192],
  ["2/10", 220_023],
]);

/** What the ledger costs, next to the reference. */
export const gas: Part = {
  about: "gas per intent, single and in bundles, next to the reference",
  run: async ({ tell }) => {
    tell("measuring");
    await hre.tasks.getTask("build").run({ quiet: true });
    const chain = await openChain();
    const goals = await measureGas(chain);
    const rows: Row[] = [];
    let seed = 1_000;
    for (const members of committees)
      for (const count of states) {
        const reference = references.get(`${count}/${members}`);
        const costs: [string, number][] = [];
        for (const intents of bundles)
          costs.push([
            intents === 1 ? "single" : `in bundles of ${intents}`,
            await gasPerIntent(
              chain,
              { members, inputs: count, outputs: count, intents },
              seed++,
            ),
          ]);
        rows.push({
          transition: `${count} in / ${count} out, ${members} endorsers`,
          reference: reference ?? "-",
          ...Object.fromEntries(costs),
          "reference ÷ single":
            reference === undefined
              ? "-"
              : (reference / (costs[0]?.[1] ?? NaN)).toFixed(2),
        });
      }
    return {
      sections: [
        { title: "Gas per intent", rows },
        { title: "Gas: what to reach", rows: goals.map(rowOf) },
      ],
      goals: goals.flatMap(goalOf),
    };
  },
};

function rowOf({ name, reference, reach, gasUsed, intents }: GasRow): Row {
  return {
    case: name,
    reference,
    "at most": reach ?? "-",
    measured: gasUsed / intents,
    "measured ÷ reference": (gasUsed / intents / reference).toFixed(2),
  };
}

function goalOf({ name, reach, gasUsed, intents }: GasRow): Goal[] {
  return reach === undefined
    ? []
    : [
        {
          name: `gas: ${name}`,
          value: gasUsed / intents,
          valueMax: reach,
        },
      ];
}
