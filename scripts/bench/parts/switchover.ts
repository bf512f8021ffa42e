import type { NodeSettings } from "../../../src/node/settings.ts";
import { openBenchCluster } from "../bench-cluster.ts";
import { takeCensus } from "../census.ts";
import { type BenchChain, openBenchChain } from "../chains.ts";
import type { Row } from "../goals.ts";
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

/**
 * In a range that is longer, what follows is its steady state: the role moved long ago, and everything that was under way
 * then has happened. No machine is faster or slower for both.
 */
const QUIET_FROM = 15;

interface Window {
  readonly intentsPerSecond: number;
  /** The same in the quiet parts of its ranges, if it has any. */
  readonly quietPerSecond: number | undefined;
  readonly handovers: number;
  readonly reverts: number;
}

/** What is lost while the role moves from one node to the next. */
export const switchover: Part = {
  about: "throughput while the role moves, next to one coordinator",
  run: async (options) => {
    const rounds = options.isQuick ? 1 : 5;
    const steady: Window[] = [];
    const moving = new Map<number, Window[]>(sizes.map((size) => [size, []]));
    const chain = await openBenchChain("in-process", BLOCK_MS);
    try {
      // The first one warms up.
      if (!options.isQuick) await measureWindow(chain, undefined, options);
      steady.push(await measureWindow(chain, undefined, options));
      for (let round = 0; round < rounds; round++) {
        for (const size of sizes)
          moving.get(size)?.push(await measureWindow(chain, size, options));
        steady.push(await measureWindow(chain, undefined, options));
      }
    } finally {
      await chain.stop();
    }
    /** Next to one coordinator before and after it. */
    const partOf = (size: number): number =>
      median(
        (moving.get(size) ?? []).map(({ intentsPerSecond }, round) => {
          const [before, after] = [steady[round], steady[round + 1]];
          const sum =
            (before?.intentsPerSecond ?? NaN) +
            (after?.intentsPerSecond ?? NaN);
          return (2 * intentsPerSecond) / sum;
        }),
      );
    /** Next to the quiet parts of its own ranges. */
    const partOfQuiet = (size: number): number | undefined => {
      const parts = (moving.get(size) ?? []).flatMap(
        ({ intentsPerSecond, quietPerSecond }) =>
          quietPerSecond === undefined ? [] : intentsPerSecond / quietPerSecond,
      );
      return parts.length === 0 ? undefined : median(parts);
    };
    const steadiest = (size: number): number =>
      partOfQuiet(size) ?? partOf(size);
    const all = [...steady, ...[...moving.values()].flat()];
    return {
      sections: [
        {
          title: `Throughput while the role moves, a block every ${BLOCK_MS} ms`,
          rows: [
            rowOf("one coordinator", steady, { ofOne: 1, ofQuiet: undefined }),
            ...[...moving].map(([size, windows]) =>
              rowOf(size, windows, {
                ofOne: partOf(size),
                ofQuiet: partOfQuiet(size),
              }),
            ),
          ],
        },
      ],
      goals: [
        ...[...dipMax].map(([size, valueMax]) => ({
          name: `the dip at range size ${size}`,
          value: 1 - steadiest(size),
          valueMax,
        })),
        {
          name: "reverts while the role moves",
          value: all.reduce((total, { reverts }) => total + reverts, 0),
          valueMax: 0,
        },
      ],
      panels: [
        {
          title: "Throughput while the role moves ÷ steady state",
          bars: sizes.map((size) => {
            const dip = dipMax.get(size);
            return {
              label: `ranges of ${size} blocks`,
              value: steadiest(size),
              ...(dip !== undefined && { goal: 1 - dip }),
            };
          }),
        },
      ],
    };
  },
};

function rowOf(
  name: string | number,
  windows: readonly Window[],
  parts: { readonly ofOne: number; readonly ofQuiet: number | undefined },
): Row {
  const sum = (key: "handovers" | "reverts"): number =>
    windows.reduce((total, one) => total + one[key], 0);
  return {
    "range size": name,
    "÷ one coordinator": parts.ofOne.toFixed(2),
    "÷ quiet parts": parts.ofQuiet?.toFixed(2) ?? "-",
    "intents/s": median(windows.map((one) => one.intentsPerSecond)),
    "times that the role moved": sum("handovers"),
    reverts: sum("reverts"),
  };
}

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
    const countIn = (
      heights: readonly number[],
      [after, through]: readonly [number, number] = [first, last],
    ): number =>
      heights.filter((height) => height > after && height <= through).length;
    /** What was confirmed in these parts of the chain, by the time that they took. */
    const rateIn = (parts: readonly (readonly [number, number])[]): number => {
      let [count, ms] = [0, 0];
      for (const part of parts) {
        count += countIn(confirmed, part);
        ms += timeOf(seen, part[1]) - timeOf(seen, part[0]);
      }
      return (1_000 * count) / ms;
    };
    const ranges = Array.from({ length: blocks / size }, (_, i) => {
      const start = first + i * size;
      return [start + QUIET_FROM, start + size] as const;
    });
    const handovers = countIn(moves);
    const range = [first, last] as const;
    const { reverts } = await takeCensus(chain.client, pot.group, range);
    const intentsPerSecond = rateIn([range]);
    tell(
      `${rangeSizeBlocks === undefined ? "one coordinator" : `ranges of ${rangeSizeBlocks}`}: ` +
        `${Math.round(intentsPerSecond)} intents/s, the role moved ${handovers} times`,
    );
    const quietPerSecond = size > 2 * QUIET_FROM ? rateIn(ranges) : undefined;
    return { intentsPerSecond, quietPerSecond, handovers, reverts };
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
