import { openBenchCluster } from "../bench-cluster.ts";
import { type BenchChain, openBenchChain } from "../chains.ts";
import type { Findings, Part, PartOptions } from "../part.ts";
import { Pot, spendAll } from "../pot.ts";
import { cpuMsOf } from "../cpu.ts";

const sizes = [3, 4, 7, 20] as const;
const base = 4;
const most = 20;

/** What an intent costs when there are many members. */
export const members: Part = {
  about: "cost of an intent for 3 to 20 members",
  run: measureMembers,
};

/** What an intent costs all members together. Every one of them checks every bundle, so it may grow as their number does. */
async function measureMembers({
  isQuick,
  tell,
}: PartOptions): Promise<Findings> {
  const intents = isQuick ? 200 : 2_000;
  const costs = new Map<number, number>();
  const chain = await openBenchChain("hardhat-node", 100);
  try {
    for (let round = 0; round < (isQuick ? 1 : 2); round++)
      for (const size of sizes) {
        const cost = await costOf(chain, size, intents);
        tell(`${size} members: ${cost.toFixed(2)} ms of CPU for an intent`);
        costs.set(size, Math.min(cost, costs.get(size) ?? Infinity));
      }
  } finally {
    await chain.stop();
  }
  const ratioOf = (size: number): number =>
    (costs.get(size) ?? NaN) / (costs.get(base) ?? NaN);
  return {
    sections: [
      {
        title: `Cost of an intent by members, in units of ${base} members'`,
        rows: sizes.map((size) => ({
          members: size,
          cost: ratioOf(size).toFixed(2),
          "CPU ms per intent": costs.get(size) ?? NaN,
        })),
      },
    ],
    goals: [
      {
        name: `the cost of an intent for ${most} members`,
        value: ratioOf(most),
        valueMax: most / base,
      },
    ],
    panels: [
      {
        title: `Cost of an intent for all members ÷ for ${base} members`,
        bars: sizes.map((size) => ({
          label: `${size} members`,
          value: ratioOf(size),
          goal: size / base,
          isCost: true,
        })),
      },
    ],
  };
}

async function costOf(
  chain: BenchChain,
  size: number,
  intents: number,
): Promise<number> {
  const { cluster, stop } = await openBenchCluster(chain, { members: size });
  try {
    const pot = await Pot.create(cluster);
    await pot.fill(2 * intents);
    await spendAll(cluster, [pot], Math.ceil(intents / 4));
    const ms = await cpuMsOf(async () => {
      await spendAll(cluster, [pot], intents);
    });
    return ms / intents;
  } finally {
    await stop();
  }
}
