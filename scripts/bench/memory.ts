import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import hre from "hardhat";

import type { NodeName } from "../../src/protocol/ids.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import type { Carrier } from "../../src/network/carrier.ts";
import { Hub } from "../../src/network/in-process.ts";
import { createTestCluster, names } from "../../test/helpers/cluster.ts";
import { collectGarbage } from "../../test/helpers/garbage.ts";
import { openTestLedger } from "../../test/helpers/runtime-ledger.ts";

/** How much memory a process with four nodes has in use, after so much. */
export interface MemoryPoint {
  readonly count: number;
  readonly heapBytes: number;
}

/** What idle groups come to. */
export interface IdleGroups {
  readonly points: readonly MemoryPoint[];
  /** Between nodes, while all groups were left alone for `quietMs`. */
  readonly messages: number;
  readonly quietMs: number;
}

const THRESHOLD = 3;
/** Intents, or groups, that are under way at the same time. */
const AT_ONCE = 250;
const GROUPS_AT_ONCE = 25;
/** What is freed only a little later is gone at one of them. */
const COLLECTIONS = 5;

/** Sends intents through one group, and measures the heap at each of these counts, in order. */
export async function memoryOfIntents(
  counts: readonly number[],
): Promise<readonly MemoryPoint[]> {
  return await withCluster({ hub: new Hub() }, async (cluster) => {
    const { address } = await cluster.createGroup({
      domain: "group-token",
      threshold: THRESHOLD,
    });
    const call = async (
      name: string,
      intent: {
        readonly function: string;
        readonly args: Readonly<Record<string, string>>;
      },
    ): Promise<void> => {
      const member = cluster.member(name);
      const id = await member.send({ group: address, ...intent });
      const { type } = await member.receipt(address, id);
      if (type !== "Confirmed") throw new Error(`An intent ended as ${type}.`);
    };
    // As many coins as are spent at once, and the same ones again and again: what there is does not grow.
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, i) => {
        await call(names[i % names.length] ?? "alice", {
          function: "mint(string,uint256)",
          args: { to: accountOf(i), amount: "1" },
        });
      }),
    );
    const points: MemoryPoint[] = [];
    let sent = 0;
    for (const count of counts) {
      while (sent < count) {
        const batch = Math.min(AT_ONCE, count - sent);
        await Promise.all(
          Array.from({ length: batch }, async (_, i) => {
            await call(names[i % names.length] ?? "alice", {
              function: "transfer(string,string,uint256)",
              args: { from: accountOf(i), to: accountOf(i), amount: "1" },
            });
          }),
        );
        sent += batch;
      }
      await atRest(cluster);
      points.push({ count, heapBytes: await heapBytes() });
    }
    return points;
  });
}

/** Resolves when nobody has anything to do: what is under way takes memory too. */
async function atRest({ members }: Cluster): Promise<void> {
  const isBusy = (): boolean =>
    members
      .flatMap(({ node }) => node.status().groups)
      .some(
        ({ sender, coordinator }) =>
          sender !== "Idle" || coordinator !== "Idle",
      );
  while (isBusy()) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Resolves when every node has put so many groups aside. */
async function putAside(
  { members }: Cluster,
  groupsAside: number,
): Promise<void> {
  while (members.some(({ node }) => node.status().groupsAside < groupsAside))
    await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Creates groups and leaves them alone, and measures the heap at each of these counts, in order. */
export async function memoryOfIdleGroups(
  counts: readonly number[],
  options: {
    readonly quietMs: number;
    /** Groups with nothing to do that a node keeps in memory. */
    readonly restingMax: number;
  },
): Promise<IdleGroups> {
  const { quietMs, restingMax } = options;
  const hub = new CountingHub();
  return await withCluster({ hub, restingMax }, async (cluster) => {
    const points: MemoryPoint[] = [];
    let created = 0;
    for (const count of counts) {
      while (created < count) {
        const batch = Math.min(GROUPS_AT_ONCE, count - created);
        await Promise.all(
          Array.from({ length: batch }, async () => {
            await cluster.createGroup({
              domain: "group-token",
              threshold: THRESHOLD,
            });
          }),
        );
        created += batch;
      }
      await putAside(cluster, count - restingMax);
      points.push({ count, heapBytes: await heapBytes() });
    }
    await hub.quiet(quietMs);
    const before = hub.carried;
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    return { points, messages: hub.carried - before, quietMs };
  });
}

/** How far a point is from the mean of all at most, as a part of that. */
export function deviationOf(points: readonly MemoryPoint[]): number {
  const bytes = points.map(({ heapBytes: one }) => one);
  const mean = bytes.reduce((sum, one) => sum + one, 0) / bytes.length;
  return Math.max(...bytes.map((one) => Math.abs(one - mean))) / mean;
}

/** What each more of them costs, between the first point and the last. */
export function bytesEach(points: readonly MemoryPoint[]): number {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return Number.NaN;
  return (last.heapBytes - first.heapBytes) / (last.count - first.count);
}

function accountOf(index: number): string {
  return `account${index % AT_ONCE}`;
}

/** Counts what nodes tell each other. */
class CountingHub extends Hub {
  carried = 0;
  #lastMs = performance.now();

  override connect(
    name: NodeName,
    arrive: (wire: Uint8Array) => void,
  ): Carrier {
    return super.connect(name, (wire) => {
      this.carried += 1;
      this.#lastMs = performance.now();
      arrive(wire);
    });
  }

  /** Resolves when nothing was said for so long. What was said while groups came into being has an end. */
  async quiet(quietMs: number): Promise<void> {
    while (performance.now() - this.#lastMs < quietMs)
      await new Promise((resolve) => setTimeout(resolve, quietMs / 10));
  }
}

async function withCluster<Result>(
  {
    hub,
    restingMax,
  }: { readonly hub: Hub; readonly restingMax?: number | undefined },
  work: (cluster: Cluster) => Promise<Result>,
): Promise<Result> {
  const { provider } = await hre.network.create();
  const client = openChainClient(provider);
  const { chainId, factory } = await openTestLedger(client);
  const dataDir = mkdtempSync(join(tmpdir(), "memory-"));
  const cluster = createTestCluster({
    openClient: () => openChainClient(provider),
    chainId,
    factory,
    dataDir,
    hub,
    ...(restingMax !== undefined && { restingMax }),
  });
  // Nothing else does while nodes wait for each other: their timers do not keep the process alive.
  const alive = setInterval(() => undefined, 1_000);
  try {
    cluster.start();
    return await work(cluster);
  } finally {
    clearInterval(alive);
    await cluster.stop();
    await client.close();
    rmSync(dataDir, { recursive: true });
  }
}

/** The least of several collections. */
async function heapBytes(): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < COLLECTIONS; i += 1) {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    least = Math.min(least, heapUsed + arrayBuffers);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return least;
}
