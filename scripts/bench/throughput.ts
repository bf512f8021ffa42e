import { limits } from "../../src/protocol/limits.ts";
import type { NodeSettings } from "../../src/node/settings.ts";
import { takeCensus } from "./census.ts";
import { type Ceiling, openCeiling } from "./ceiling.ts";
import {
  type BenchChain,
  type ChainName,
  type Mining,
  openBenchChain,
} from "./chains.ts";
import { openSpenders, type Spenders } from "./spenders/spenders.ts";
import { median } from "./statistics.ts";

/** Bundles of one, and as large as they may be. */
export const bundleSizes = [1, limits.bundle] as const;

/** How much is to be done. */
export interface ThroughputOptions {
  readonly chain: ChainName;
  readonly mining: Mining;
  readonly bundleMax: number;
  /** In one round, and as many prepared calls. */
  readonly intents: number;
  readonly rounds: number;
  readonly settings?: Partial<NodeSettings>;
  readonly tell: (line: string) => void;
}

/** What came of it: medians of rounds. */
export interface Throughput {
  readonly intentsPerSecond: number;
  /** Prepared calls that the same chain takes, measured between the rounds of the sequencer. */
  readonly callsPerSecond: number;
  readonly ratio: number;
  readonly reverts: number;
  readonly transactionsPerIntent: number;
  readonly gasPerIntent: number;
}

/** Four nodes spend one pot, in turn with prepared calls at the same chain. */
export async function measureThroughput(
  options: ThroughputOptions,
): Promise<Throughput> {
  const { settings, bundleMax } = options;
  const chain = await openBenchChain(options.chain, options.mining);
  try {
    const ceiling = await openCeiling(chain);
    const nodes = await openSpenders(chain, { ...settings, bundleMax });
    try {
      return await runRounds(options, { chain, ceiling, nodes });
    } finally {
      await nodes.stop();
    }
  } finally {
    await chain.stop();
  }
}

interface Round {
  readonly callsPerSecond: number;
  readonly intentsPerSecond: number;
  readonly transactions: number;
  readonly reverts: number;
  readonly gas: number;
}

interface Parties {
  readonly chain: BenchChain;
  readonly ceiling: Ceiling;
  readonly nodes: Spenders;
}

async function runRounds(
  { intents, rounds, tell }: ThroughputOptions,
  parties: Parties,
): Promise<Throughput> {
  const all: Round[] = [];
  // The first one warms up.
  for (let number = 0; number <= rounds; number++) {
    const round = await runRound(intents, parties);
    all.push(round);
    tell(
      `${number === 0 ? "warm-up" : `round ${number} of ${rounds}`}: ` +
        `${Math.round(round.callsPerSecond)} calls/s, ${Math.round(round.intentsPerSecond)} intents/s ` +
        `in ${round.transactions} transactions`,
    );
  }
  for (const failure of parties.nodes.failures()) tell(failure);
  const counted = all.slice(1);
  const medianOf = (key: keyof Round): number =>
    median(counted.map((round) => round[key]));
  const intentsPerSecond = medianOf("intentsPerSecond");
  const callsPerSecond = medianOf("callsPerSecond");
  return {
    intentsPerSecond,
    callsPerSecond,
    ratio: intentsPerSecond / callsPerSecond,
    reverts: all.reduce((sum, { reverts }) => sum + reverts, 0),
    transactionsPerIntent: medianOf("transactions") / intents,
    gasPerIntent: medianOf("gas") / intents,
  };
}

async function runRound(
  intents: number,
  { chain, ceiling, nodes }: Parties,
): Promise<Round> {
  const callsPerSecond = await ceiling.callsPerSecond(intents);
  await nodes.fill(intents);
  const before = await chain.height();
  const start = performance.now();
  await nodes.spend(intents);
  const seconds = (performance.now() - start) / 1_000;
  await nodes.check();
  const range = [before + 1, await chain.height()] as const;
  const census = await takeCensus(chain.client, nodes.group, range);
  return {
    callsPerSecond,
    intentsPerSecond: intents / seconds,
    transactions: census.transactions,
    reverts: census.reverts,
    gas: Number(census.gas),
  };
}
