import { limits } from "../../src/protocol/limits.ts";
import type { NodeSettings } from "../../src/runtime/node/settings.ts";
import { openBenchCluster } from "./bench-cluster.ts";
import { takeCensus } from "./census.ts";
import { openCeiling } from "./ceiling.ts";
import { type ChainName, type Mining, openBenchChain } from "./chains.ts";
import { Pot } from "./pot.ts";
import { median } from "./statistics.ts";

/** How much is to be done. */
export interface ThroughputOptions {
  readonly chain: ChainName;
  readonly mining: Mining;
  /** In one round, and as many prepared calls. */
  readonly intents: number;
  /** With bundles they are over too soon to be measured, so there are more. */
  readonly bundledIntents: number;
  readonly rounds: number;
  readonly bundles: readonly number[];
  readonly settings?: Partial<NodeSettings>;
  readonly tell: (line: string) => void;
}

/** What came of it: medians of rounds. */
export interface Throughput {
  readonly chain: ChainName;
  readonly bundleMax: number;
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
): Promise<readonly Throughput[]> {
  const { tell } = options;
  const results: Throughput[] = [];
  for (const bundleMax of options.bundles) {
    const name = `${options.chain}, bundles of at most ${bundleMax}`;
    tell(`${name}: starting`);
    results.push(await measureBundles({ ...options, bundleMax, name }));
  }
  return results;
}

async function measureBundles({
  chain: chainName,
  mining,
  intents,
  bundledIntents,
  rounds,
  settings,
  bundleMax,
  name,
  tell,
}: ThroughputOptions & {
  readonly bundleMax: number;
  readonly name: string;
}): Promise<Throughput> {
  const chain = await openBenchChain(chainName, mining);
  try {
    const ceiling = await openCeiling(chain);
    const { cluster, failures, stop } = await openBenchCluster(chain, {
      settings: { ...settings, bundleMax },
    });
    try {
      const count = bundleMax === 1 ? intents : bundledIntents;
      const group = await cluster.createGroup({
        domain: "group-token",
        threshold: 3,
      });
      const pot = new Pot(cluster, group.address);
      const raw: number[] = [];
      const sequenced: number[] = [];
      const gas: number[] = [];
      const transactions: number[] = [];
      let reverts = 0;
      for (let round = 0; round <= rounds; round++) {
        const isWarmUp = round === 0;
        const callsPerSecond = await ceiling.callsPerSecond(intents);
        await pot.fill(count);
        const before = await chain.height();
        const start = performance.now();
        await pot.spend(count);
        const seconds = (performance.now() - start) / 1_000;
        await pot.check();
        const range = [before + 1, await chain.height()] as const;
        const census = await takeCensus(chain.client, group.address, range);
        reverts += census.reverts;
        tell(
          `${name}: ${isWarmUp ? "warm-up" : `round ${round} of ${rounds}`}, ` +
            `${Math.round(callsPerSecond)} calls/s, ${Math.round(count / seconds)} intents/s ` +
            `in ${census.transactions} transactions and ${range[1] - range[0] + 1} blocks`,
        );
        if (isWarmUp) continue;
        raw.push(callsPerSecond);
        sequenced.push(count / seconds);
        gas.push(Number(census.gas) / count);
        transactions.push(census.transactions / count);
      }
      for (const failure of failures()) tell(`${name}: ${failure}`);
      return {
        chain: chainName,
        bundleMax,
        intentsPerSecond: median(sequenced),
        callsPerSecond: median(raw),
        ratio: median(sequenced) / median(raw),
        reverts,
        transactionsPerIntent: median(transactions),
        gasPerIntent: median(gas),
      };
    } finally {
      await stop();
    }
  } finally {
    await chain.stop();
  }
}

/** Bundles of one, and as large as they may be. */
export const bundleSizes = [1, limits.bundle] as const;
