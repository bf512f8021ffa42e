import { openBenchCluster } from "../bench-cluster.ts";
import { openBenchChain } from "../chains.ts";
import type { Findings, Part, PartOptions } from "../part.ts";
import { Pot, spendAll } from "../pot.ts";
import { cpuMsOf } from "../cpu.ts";

/** Intents between two looks at the clock. */
const STEP = 250;
/** As many windows before every mark, also the first: the least of more of them would be less by itself. */
const WINDOWS = 4;
const WARM_UP = 2_000;
const costMax = 1.3;

/** What an intent costs when there were many before. */
export const intents: Part = {
  about: "cost of an intent after 1,000, 10,000 and 100,000",
  run: measureIntents,
};

/**
 * What an intent costs after so many. Each leaves a state that nobody spends, so that what nodes know grows too. The chain is
 * in another process: what it needs is not counted.
 */
async function measureIntents({
  isQuick,
  tell,
}: PartOptions): Promise<Findings> {
  const marks = isQuick ? [1_000, 3_000] : [1_000, 10_000, 100_000];
  const most = marks.at(-1) ?? 0;
  const chain = await openBenchChain("hardhat-node", 100);
  const nodes = await openBenchCluster(chain);
  try {
    const { cluster } = nodes;
    const warm = await Pot.create(cluster);
    await warm.fill(WARM_UP);
    await spendAll(cluster, [warm], WARM_UP);
    const pot = await Pot.create(cluster, "pay");
    await pot.fill(most);
    const costs: number[] = [];
    for (let done = 0; done < most; done += STEP) {
      const ms = await cpuMsOf(async () => {
        await spendAll(cluster, [pot], STEP);
      });
      costs.push(ms / STEP);
      if (done % 5_000 === 0)
        tell(
          `after ${done} intents: ${(ms / STEP).toFixed(2)} ms of CPU for each`,
        );
    }
    await pot.check();
    const costAt = (mark: number): number => {
      const window = costs.slice(0, mark / STEP).slice(-WINDOWS);
      return Math.min(...window);
    };
    const base = costAt(marks[0] ?? STEP);
    const rows = marks.map((mark) => ({
      intents: mark,
      cost: (costAt(mark) / base).toFixed(2),
      "CPU ms per intent": costAt(mark),
    }));
    return {
      sections: [{ title: "Cost of an intent after so many", rows }],
      goals: [
        {
          name: `the cost of an intent after ${most.toLocaleString("en")}`,
          value: costAt(most) / base,
          valueMax: costMax,
        },
      ],
      panels: [
        {
          title: "Cost of an intent ÷ after 1,000",
          bars: marks.map((mark) => ({
            label: `after ${mark.toLocaleString("en")}`,
            value: costAt(mark) / base,
            isCost: true,
            ...(mark === most && { goal: costMax }),
          })),
        },
      ],
    };
  } finally {
    await nodes.stop();
    await chain.stop();
  }
}
