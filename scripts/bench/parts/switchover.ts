import type { NodeSettings } from "../../../src/runtime/node/settings.ts";
import { openBenchCluster } from "../bench-cluster.ts";
import { takeCensus } from "../census.ts";
import { type BenchChain, openBenchChain } from "../chains.ts";
import type { Part, PartOptions } from "../part.ts";
import { Pot, spendUntil } from "../pot.ts";
import { median } from "../statistics.ts";

const BLOCK_MS = 100;
/** Whole ranges of every size. */
const WINDOW_BLOCKS = 100;
const QUICK_BLOCKS = 50;
/** How long nodes work before the window begins. */
const SETTLING_MS = 2_000;
/** More than any machine confirms in the window. */
const PLENTY = 1_000_000;

/** Of the throughput, how much a rotation may cost at most. */
const dipMax = new Map([
  [10, 0.25],
  [50, 0.05],
]);
const sizes = [4, 10, 50] as const;

interface Window {
  readonly intentsPerSecond: number;
  readonly handovers: number;
  readonly reverts: number;
}

/** What is lost while the role moves from one node to the next. */
export const switchover: Part = {
  about: "throughput while the role moves, next to one coordinator",
  run: async (options) => {
    const chain = await openBenchChain("in-process", BLOCK_MS);
    const cases = [undefined, ...sizes];
    const windows = new Map<number | undefined, Window[]>(
      cases.map((size) => [size, []]),
    );
    try {
      // The first round warms up. Cases take turns, so that a slow moment hits all of them.
      const rounds = options.isQuick ? [1] : Array.from({ length: 6 }).keys();
      for (const round of rounds) {
        for (const size of cases) {
          const window = await measureWindow(chain, size, options);
          if (round > 0) windows.get(size)?.push(window);
        }
      }
    } finally {
      await chain.stop();
    }
    const throughputsOf = (size: number | undefined): readonly number[] =>
      (windows.get(size) ?? []).map((one) => one.intentsPerSecond);
    const steady = throughputsOf(undefined);
    // Each next to the one of its own round: a machine that is slow for a while is slow for both.
    const partOf = (size: number | undefined): number =>
      median(
        throughputsOf(size).map((one, round) => one / (steady[round] ?? NaN)),
      );
    const sum = (size: number | undefined, key: keyof Window): number =>
      (windows.get(size) ?? []).reduce((total, one) => total + one[key], 0);
    return {
      sections: [
        {
          title: `Throughput while the role moves ÷ with one coordinator, a block every ${BLOCK_MS} ms`,
          rows: cases.map((size) => ({
            "range size": size ?? "one coordinator",
            ratio: partOf(size).toFixed(2),
            "intents/s": median(throughputsOf(size)),
            "times that the role moved": sum(size, "handovers"),
            reverts: sum(size, "reverts"),
          })),
        },
      ],
      goals: [
        ...[...dipMax].map(([size, valueMax]) => ({
          name: `the dip at range size ${size}`,
          value: 1 - partOf(size),
          valueMax,
        })),
        {
          name: "reverts while the role moves",
          value: cases.reduce<number>(
            (total, size) => total + sum(size, "reverts"),
            0,
          ),
          valueMax: 0,
        },
      ],
      panels: [
        {
          title: "Throughput while the role moves ÷ with one coordinator",
          bars: sizes.map((size) => {
            const dip = dipMax.get(size);
            return {
              label: `ranges of ${size} blocks`,
              value: partOf(size),
              ...(dip !== undefined && { goal: 1 - dip }),
            };
          }),
        },
      ],
    };
  },
};

/** Nodes that always have more to do than they can: what they confirm in some blocks. */
async function measureWindow(
  chain: BenchChain,
  rangeSizeBlocks: number | undefined,
  { isQuick, tell }: PartOptions,
): Promise<Window> {
  const settings: Partial<NodeSettings> =
    rangeSizeBlocks === undefined
      ? { policy: "sticky" }
      : { policy: "rotating", rangeSizeBlocks };
  const seen = new Map<number, number>();
  const confirmed: number[] = [];
  const moves: number[] = [];
  const { cluster, names, stop } = await openBenchCluster(chain, {
    settings,
    onFact: (name, fact) => {
      if (fact.type === "BlockSeen" && name === names[0])
        seen.set(fact.height, performance.now());
      if (
        fact.type === "Settled" &&
        fact.settlement.outcome.type === "Confirmed"
      )
        confirmed.push(fact.settlement.outcome.block);
      if (fact.type === "CoordinatorChanged" && fact.takeover === "handover")
        moves.push(cluster.member(name).node.height());
    },
  });
  try {
    const pot = await Pot.create(cluster);
    await pot.fill(PLENTY);
    const size = rangeSizeBlocks ?? 1;
    const blocks = isQuick ? QUICK_BLOCKS : WINDOW_BLOCKS;
    const settled = performance.now() + SETTLING_MS;
    let first = Infinity;
    await spendUntil(cluster, pot, () => {
      const height = cluster.members[0]?.node.height() ?? 0;
      if (first === Infinity && performance.now() > settled) {
        first = Math.ceil((height + 1) / size) * size;
      }
      return height >= first + blocks;
    });
    const last = first + blocks;
    const seconds = (timeOf(seen, last) - timeOf(seen, first)) / 1_000;
    const countIn = (heights: readonly number[]): number =>
      heights.filter((height) => height > first && height <= last).length;
    const handovers = countIn(moves);
    const range = [first, last] as const;
    const { reverts } = await takeCensus(chain.client, pot.group, range);
    const intentsPerSecond = countIn(confirmed) / seconds;
    tell(
      `${rangeSizeBlocks === undefined ? "one coordinator" : `ranges of ${rangeSizeBlocks}`}: ` +
        `${Math.round(intentsPerSecond)} intents/s, the role moved ${handovers} times`,
    );
    return { intentsPerSecond, handovers, reverts };
  } finally {
    await stop();
  }
}

/** When a block was seen first, or one after it: nodes that are busy see several at once. */
function timeOf(seen: ReadonlyMap<number, number>, block: number): number {
  const times = [...seen].flatMap(([height, time]) =>
    height >= block ? [time] : [],
  );
  return Math.min(...times);
}
