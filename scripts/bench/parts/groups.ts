import { randomBytes } from "node:crypto";

import { parseBytes32, toHex } from "../../../src/ledger/index.ts";
import { parseGroupAddress } from "../../../src/protocol/ids.ts";
import type { Cluster } from "../../../src/cluster/cluster.ts";
import type { StoredGroup } from "../../../src/store/groups.ts";
import type { Store } from "../../../src/store/store.ts";
import { type BenchCluster, openBenchCluster } from "../bench-cluster.ts";
import { openBenchChain } from "../chains.ts";
import type { Findings, Part, PartOptions } from "../part.ts";
import { Pot, spendAll } from "../pot.ts";
import { median } from "../statistics.ts";

/** Groups that are created, or filled, at the same time. */
const AT_ONCE = 50;
const partMin = 0.8;
/** What a group has to do at least while it is active. */
const INTENTS_EACH = 50;

/** What all groups confirm together, if there are more and more of them, and if most groups sleep. */
export const groups: Part = {
  about: "total throughput of 1 to 1,000 active groups, and with 10,000 idle",
  run: async (options) => {
    const chain = await openBenchChain("in-process", 100);
    // What it costs when the role moves is measured elsewhere: here it would move every few seconds in every group.
    const nodes = await openBenchCluster(chain, {
      settings: { policy: "sticky" },
    });
    try {
      return await measure(nodes, options);
    } finally {
      await nodes.stop();
      await chain.stop();
    }
  },
};

async function measure(
  { cluster, restart }: BenchCluster,
  { isQuick, tell }: PartOptions,
): Promise<Findings> {
  const active = isQuick ? [10, 30] : [10, 100, 1_000];
  const idle = isQuick ? 100 : 10_000;
  const intentsMin = isQuick ? 600 : 10_000;
  const rates = new Map<string, number[]>();
  const parts = new Map<string, number[]>();
  const pots: Pot[] = [];
  const measureOnce = async (name: string, count: number): Promise<number> => {
    const used = pots.slice(0, count);
    const intents = Math.max(intentsMin, INTENTS_EACH * count);
    await inTurn(used, AT_ONCE, async (pot) => {
      await pot.fill(Math.ceil(intents / count) + 1);
    });
    const start = performance.now();
    // All at once, so that every group has enough for a bundle.
    const each = intents / cluster.members.length;
    await spendAll(cluster, used, intents, each);
    const rate = (1_000 * intents) / (performance.now() - start);
    tell(`${name}: ${Math.round(rate)} intents/s`);
    return rate;
  };
  const note = (name: string, rate: number): void => {
    rates.set(name, [...(rates.get(name) ?? []), rate]);
  };
  const one = activeName(1);
  /** Some groups and one group in turn, each next to what one group did before and after it. */
  const compare = async (name: string, count: number): Promise<void> => {
    const rounds = isQuick ? 1 : count < 1_000 ? 3 : 2;
    const ratios: number[] = [];
    let before = await measureOnce(one, 1);
    for (let round = 0; round < rounds; round++) {
      const rate = await measureOnce(name, count);
      const after = await measureOnce(one, 1);
      ratios.push((2 * rate) / (before + after));
      note(name, rate);
      note(one, after);
      before = after;
    }
    parts.set(name, ratios);
  };
  await createUpTo(1, pots, cluster);
  // The first time warms up.
  await measureOnce(one, 1);
  const sleeping = `${one}, ${idle.toLocaleString("en")} idle`;
  for (const size of active) {
    tell(`creating groups: ${size}`);
    await createUpTo(size, pots, cluster);
    await compare(activeName(size), size);
  }
  const awake = await measureOnce(one, 1);
  await restart((store) => {
    addIdle(store, idle);
  });
  // What the restart has cost is not what idle groups cost.
  await measureOnce(sleeping, 1);
  const asleep = await measureOnce(sleeping, 1);
  note(sleeping, asleep);
  parts.set(sleeping, [asleep / awake]);

  const most = activeName(active.at(-1) ?? 1);
  const names = [one, ...active.map(activeName), sleeping];
  const partOf = (name: string): number => median(parts.get(name) ?? [1]);
  return {
    sections: [
      {
        title: "Total throughput by active groups",
        rows: names.map((name) => ({
          groups: name,
          ratio: partOf(name).toFixed(2),
          "intents/s": median(rates.get(name) ?? []),
        })),
      },
    ],
    goals: [
      {
        name: `the total throughput of groups, ${most}, ÷ of one`,
        value: partOf(most),
        valueMin: partMin,
      },
    ],
    panels: [
      {
        title: "Total throughput of groups ÷ of one",
        bars: names.map((name) => ({
          label: name,
          value: partOf(name),
          ...(name === most && { goal: partMin }),
        })),
      },
    ],
  };
}

function activeName(size: number): string {
  return `${size.toLocaleString("en")} active`;
}

async function createUpTo(
  count: number,
  pots: Pot[],
  cluster: Cluster,
): Promise<void> {
  const missing = Array.from({ length: count - pots.length });
  await inTurn(missing, AT_ONCE, async () => {
    pots.push(await Pot.create(cluster));
  });
}

/** Groups that a node is a member of, like one that it has, in which nothing ever happened: it knows them and watches them. */
function addIdle({ database, groups: stored }: Store, count: number): void {
  const [model] = stored.list();
  if (model === undefined) throw new Error("The node has no group.");
  database.write(() => {
    for (let i = 0; i < count; i++) stored.save(likeIt(model));
  });
}

function likeIt(model: StoredGroup): StoredGroup {
  const address = parseGroupAddress(toHex(randomBytes(20)));
  if (address === undefined) throw new Error("That is no address.");
  return { ...model, address, id: parseBytes32(toHex(randomBytes(32))) };
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
