import { type BenchChain, openBenchChain } from "../chains.ts";
import type { Findings, Part, PartOptions } from "../part.ts";
import { openPostgresDisks } from "../postgres-disks.ts";
import type { Spenders } from "../spenders/spenders.ts";
import { openTogether } from "../spenders/together.ts";
import type { FollowerProcess } from "../follower.ts";
import { median, percentile } from "../statistics.ts";
import { bundleSizes } from "../throughput.ts";

const MEMBERS = 4;
/** As where throughput is measured next to prepared calls. */
const MINING = 100;
/** What the log in PostgreSQL may cost with large bundles. */
const RATIO_MIN = 0.8;
/** How far a replica may be behind while they work. */
const LAG_MAX_MS = 250;

interface Result {
  readonly bundleMax: number;
  readonly sqlite: number;
  readonly postgres: number;
  readonly ratio: number;
  /** How far behind a replica was while the nodes with PostgreSQL worked, in milliseconds. */
  readonly lag: { readonly median: number; readonly p99: number };
}

/** How many intents nodes confirm with their logs in PostgreSQL, for each that they confirm with SQLite alone. */
export const log: Part = {
  about: "the log in PostgreSQL next to SQLite alone",
  run: measureLogs,
};

async function measureLogs(options: PartOptions): Promise<Findings> {
  const results: Result[] = [];
  for (const bundleMax of bundleSizes)
    results.push(await measure(bundleMax, options));
  return {
    sections: [
      {
        title: "Intents per second with the log in PostgreSQL, and without",
        rows: results.map(({ bundleMax, sqlite, postgres, ratio, lag }) => ({
          "largest bundle": bundleMax,
          "SQLite alone": sqlite,
          PostgreSQL: postgres,
          "PostgreSQL ÷ SQLite alone": ratio,
          "a replica behind, ms (median)": lag.median,
          "(99 of 100)": lag.p99,
        })),
      },
    ],
    goals: results
      .filter(({ bundleMax }) => bundleMax > 1)
      .flatMap(({ bundleMax, ratio, lag }) => [
        {
          name: `throughput with the log in PostgreSQL ÷ SQLite alone (bundles of at most ${bundleMax})`,
          value: ratio,
          valueMin: RATIO_MIN,
        },
        {
          name: `milliseconds that a replica is behind, 99 of 100 times (bundles of at most ${bundleMax})`,
          value: lag.p99,
          valueMax: LAG_MAX_MS,
        },
      ]),
  };
}

/** Two sets of nodes on one chain take turns, so that a slow moment counts for both or for neither. */
async function measure(
  bundleMax: number,
  { isQuick, tell }: PartOptions,
): Promise<Result> {
  const chain = await openBenchChain("in-process", MINING);
  const disks = await openPostgresDisks(MEMBERS);
  const intents = (bundleMax === 1 ? 1_500 : 6_000) / (isQuick ? 5 : 1);
  const rounds = isQuick ? 1 : 5;
  const sets: Spenders[] = [];
  let follower: FollowerProcess | undefined;
  const open = async (
    openDisk?: Parameters<typeof openTogether>[2],
  ): Promise<Spenders> => {
    const spenders = await openTogether(chain, { bundleMax }, openDisk);
    sets.push(spenders);
    return spenders;
  };
  try {
    const sqlite = await open();
    const postgres = await open(disks.openDisk);
    const pairs: { readonly sqlite: number; readonly postgres: number }[] = [];
    // The first one warms up. Each set is first in every other round.
    for (let round = 0; round <= rounds; round++) {
      const rates = new Map<Spenders, number>();
      const order = round % 2 === 0 ? [sqlite, postgres] : [postgres, sqlite];
      for (const nodes of order) rates.set(nodes, await rateOf(nodes, intents));
      const pair = {
        sqlite: rates.get(sqlite) ?? NaN,
        postgres: rates.get(postgres) ?? NaN,
      };
      tell(
        `bundles of at most ${bundleMax}, ${round === 0 ? "warm-up" : `round ${round} of ${rounds}`}: ` +
          `${Math.round(pair.sqlite)} intents/s with SQLite alone, ${Math.round(pair.postgres)} with PostgreSQL`,
      );
      if (round > 0) pairs.push(pair);
    }
    // Beside the rounds that are compared, it would take its part of the processor from one of them.
    follower = await disks.follow();
    await rateOf(postgres, intents);
    await follower.lags();
    await rateOf(postgres, intents);
    const lags = await follower.lags();
    return {
      bundleMax,
      sqlite: median(pairs.map((pair) => pair.sqlite)),
      postgres: median(pairs.map((pair) => pair.postgres)),
      ratio: median(pairs.map((pair) => pair.postgres / pair.sqlite)),
      lag: {
        median: Math.round(median(lags)),
        p99: Math.round(percentile(lags, 0.99)),
      },
    };
  } finally {
    await follower?.stop();
    await closeAll(sets, disks, chain);
  }
}

async function rateOf(nodes: Spenders, intents: number): Promise<number> {
  await nodes.fill(intents);
  const start = performance.now();
  await nodes.spend(intents);
  const seconds = (performance.now() - start) / 1_000;
  await nodes.check();
  return intents / seconds;
}

async function closeAll(
  sets: readonly Spenders[],
  disks: { readonly stop: () => Promise<void> },
  chain: BenchChain,
): Promise<void> {
  for (const nodes of sets) await nodes.stop();
  await disks.stop();
  await chain.stop();
}
