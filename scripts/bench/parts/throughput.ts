import { type ChainName, chainNames } from "../chains.ts";
import type { Goal, Row } from "../goals.ts";
import type { Part, PartOptions } from "../part.ts";
import type { Bar } from "../plot.ts";
import {
  bundleSizes,
  measureThroughput,
  type Throughput,
} from "../throughput.ts";

/** A block every so many milliseconds, whatever waits: with that, chains take most prepared calls. */
const MINING = 100;

interface Result {
  readonly chain: ChainName;
  readonly bundleMax: number;
  readonly outcome: Throughput | { readonly missing: string };
}

/** How close contended intents come to prepared calls at the same chain. */
export const throughput: Part = {
  about: "contended intents next to prepared calls at the same chain",
  run: async (options) => {
    const results: Result[] = [];
    for (const chain of chainNames)
      for (const bundleMax of bundleSizes)
        results.push(await measure(chain, bundleMax, options));
    return {
      sections: [
        {
          title: `Contended intents ÷ prepared calls, a block every ${MINING} ms`,
          rows: results.map(rowOf),
        },
      ],
      goals: results.flatMap(goalsOf),
      panels: [
        {
          title: "Contended intents per second ÷ prepared calls per second",
          bars: results.map(barOf),
        },
      ],
    };
  },
};

async function measure(
  chain: ChainName,
  bundleMax: number,
  { isQuick, tell }: PartOptions,
): Promise<Result> {
  const name = `${chain}, bundles of at most ${bundleMax}`;
  const intents = bundleMax === 1 ? 3_000 : 6_000;
  try {
    const outcome = await measureThroughput({
      chain,
      bundleMax,
      mining: MINING,
      intents: isQuick ? intents / 5 : intents,
      rounds: isQuick ? 1 : 3,
      tell: (line) => {
        tell(`${name}: ${line}`);
      },
    });
    return { chain, bundleMax, outcome };
  } catch (error) {
    // One chain that cannot be had must not hide the others.
    const missing = error instanceof Error ? error.message : String(error);
    tell(`${name}: ${missing}`);
    return { chain, bundleMax, outcome: { missing } };
  }
}

function rowOf({ chain, bundleMax, outcome }: Result): Row {
  const row = { chain, "largest bundle": bundleMax };
  if ("missing" in outcome) return { ...row, ratio: outcome.missing };
  return {
    ...row,
    ratio: outcome.ratio,
    "intents/s": outcome.intentsPerSecond,
    "calls/s": outcome.callsPerSecond,
    reverts: outcome.reverts,
    "transactions per intent": outcome.transactionsPerIntent,
    "gas per intent": outcome.gasPerIntent,
  };
}

/** More intents than single calls, if they share transitions. */
function ratioMin(bundleMax: number): number {
  return bundleMax === 1 ? 0.8 : 3;
}

function goalsOf({ chain, bundleMax, outcome }: Result): readonly Goal[] {
  const where = `${chain}, bundles of at most ${bundleMax}`;
  const ratio = "missing" in outcome ? NaN : outcome.ratio;
  const reverts = "missing" in outcome ? NaN : outcome.reverts;
  return [
    {
      name: `throughput ÷ prepared calls (${where})`,
      value: ratio,
      valueMin: ratioMin(bundleMax),
    },
    { name: `reverts (${where})`, value: reverts, valueMax: 0 },
  ];
}

function barOf({ chain, bundleMax, outcome }: Result): Bar {
  return {
    label: `${chain}, bundles ≤ ${bundleMax}`,
    value: "missing" in outcome ? NaN : outcome.ratio,
    goal: ratioMin(bundleMax),
  };
}
