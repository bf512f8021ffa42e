import type { Cluster } from "../../../src/runtime/cluster/cluster.ts";
import { openBenchCluster } from "../bench-cluster.ts";
import { openBenchChain } from "../chains.ts";
import type { Row } from "../goals.ts";
import type { Findings, PartOptions } from "../part.ts";
import { Pot, spendAll } from "../pot.ts";

/** Groups that are created at the same time. */
const AT_ONCE = 50;
const partMin = 0.8;

/** What all groups confirm together, if the same intents are spread over more and more of them; and if most groups sleep. */
export async function measureGroups({
  isQuick,
  tell,
}: PartOptions): Promise<Findings> {
  const sizes = isQuick ? [1, 10, 30] : [1, 10, 100, 1_000];
  const idle = isQuick ? 100 : 10_000;
  const intents = isQuick ? 600 : 10_000;
  const most = sizes.at(-1) ?? 1;
  const chain = await openBenchChain("in-process", 100);
  const { cluster, stop } = await openBenchCluster(chain);
  const rates = new Map<string, number>();
  try {
    const pots: Pot[] = [];
    const measure = async (name: string, count: number): Promise<void> => {
      const used = pots.slice(0, count);
      const each = Math.ceil(intents / count) + 1;
      await inTurn(used, AT_ONCE, async (pot) => {
        await pot.fill(each);
      });
      const start = performance.now();
      await spendAll(cluster, used, intents);
      const seconds = (performance.now() - start) / 1_000;
      tell(`${name}: ${Math.round(intents / seconds)} intents/s`);
      rates.set(name, intents / seconds);
    };
    await createUpTo(cluster, pots, { count: 1, tell });
    await measure(nameOf(1), 1);
    for (const size of sizes) {
      await createUpTo(cluster, pots, { count: size, tell });
      // The first one again: it warmed up.
      await measure(nameOf(size), size);
    }
    await createUpTo(cluster, pots, { count: idle + 1, tell });
    const sleeping = `1, and ${idle.toLocaleString("en")} idle`;
    await measure(sleeping, 1);
    const names = [...sizes.map(nameOf), sleeping];
    const rateOf = (name: string): number => rates.get(name) ?? NaN;
    const partOf = (name: string): number => rateOf(name) / rateOf(nameOf(1));
    const rows: Row[] = names.map((name) => ({
      "active groups": name,
      ratio: partOf(name).toFixed(2),
      "intents/s": rateOf(name),
    }));
    return {
      sections: [{ title: "Total throughput by active groups", rows }],
      goals: [
        {
          name: `the total throughput of ${nameOf(most)} active groups`,
          value: partOf(nameOf(most)),
          valueMin: partMin,
        },
      ],
      panels: [
        {
          title: "Total throughput of active groups ÷ of one",
          bars: names.map((name) => ({
            label: `${name} active`,
            value: partOf(name),
            ...(name === nameOf(most) && { goal: partMin }),
          })),
        },
      ],
    };
  } finally {
    await stop();
    await chain.stop();
  }
}

function nameOf(size: number): string {
  return size.toLocaleString("en");
}

async function createUpTo(
  cluster: Cluster,
  pots: Pot[],
  {
    count,
    tell,
  }: { readonly count: number; readonly tell: (line: string) => void },
): Promise<void> {
  const missing = count - pots.length;
  if (missing <= 0) return;
  const start = performance.now();
  await inTurn(Array.from({ length: missing }), AT_ONCE, async () => {
    pots.push(await Pot.create(cluster));
    if (pots.length % 1_000 === 0) tell(`${pots.length} groups`);
  });
  const seconds = (performance.now() - start) / 1_000;
  tell(`${missing} more groups, ${Math.round(missing / seconds)} per second`);
}

/** Does something for all of them, so many at a time. */
async function inTurn<Item>(
  items: readonly Item[],
  atOnce: number,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of queue) await run(item);
    }),
  );
}
