import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";

import { Cluster, type ClusterPorts } from "../../src/cluster/cluster.ts";
import { builtInDomains } from "../../src/domains/built-in.ts";
import type { NodeFact } from "../../src/node/ports.ts";
import { defaultSettings, type NodeSettings } from "../../src/node/settings.ts";
import type { ChainClient } from "../../src/chain/ports.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { nodeNames } from "../../src/plugin/cluster-config.ts";
import { publishedAccount } from "../../test/helpers/accounts.ts";
import type { BenchChain } from "./chains.ts";

/** What nodes are like. What is left out is as users have it. */
export interface BenchClusterOptions {
  readonly members?: number;
  readonly settings?: Partial<NodeSettings>;
  readonly onFact?: (name: string, fact: NodeFact) => void;
  readonly openDisk?: ClusterPorts["openDisk"];
}

/** Nodes with databases on disk, and the end of them. */
export interface BenchCluster {
  readonly cluster: Cluster;
  readonly names: readonly string[];
  /** Submissions that the ledger, or the chain, did not take. */
  readonly failures: () => readonly string[];
  /** Every node as if its process had been killed, changes to its database, and every node again. */
  readonly restart: (change: (store: Store) => void) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Next to the code: a folder for temporary files may be memory, and a commit to memory costs nothing. */
const parent = path.resolve(import.meta.dirname, "../../node_modules/.cache");
const RICH = `0x${(10n ** 22n).toString(16)}`;

/** Starts nodes on a chain. */
export async function openBenchCluster(
  { client, ledger, openClient }: BenchChain,
  { members = 4, settings, onFact, openDisk }: BenchClusterOptions = {},
): Promise<BenchCluster> {
  const names = nodeNames(members);
  // The first account sends what is no node's.
  const keys = new Map(
    names.map((name, i) => [name, publishedAccount(i + 1).privateKey]),
  );
  await makeRich(client, names.length);
  const keyOf = (name: string): string => keys.get(name) ?? "";
  const { path: dataDir, remove } = openDataDir();
  const failures: string[] = [];
  const cluster = new Cluster(
    {
      names,
      chainId: ledger.chainId,
      factory: ledger.factory,
      dataDir,
      settings: { ...defaultSettings, ...settings },
    },
    {
      openClient,
      keys: names.map(keyOf),
      domains: builtInDomains,
      ...(openDisk !== undefined && { openDisk }),
      onFact: (name, fact) => {
        if (fact.type === "SubmissionFailed")
          failures.push(`${fact.failure}: ${fact.reason}`);
        onFact?.(name, fact);
      },
      onFatal: (name, error) => {
        throw new Error(`${name} has stopped.`, { cause: error });
      },
    },
  );
  cluster.start();
  return {
    cluster,
    names,
    failures: () => failures,
    restart: async (change) => {
      for (const member of cluster.members) {
        await member.crash();
        const store = openStore({
          file: path.join(dataDir, member.name, "node.db"),
        });
        change(store);
        store.close();
      }
      for (const member of cluster.members) member.start();
    },
    stop: async () => {
      await cluster.stop();
      remove();
    },
  };
}

/** Lets the first so many nodes pay. */
export async function makeRich(
  client: ChainClient,
  nodes: number,
): Promise<void> {
  for (let i = 1; i <= nodes; i++) {
    const { address } = publishedAccount(i);
    await client.request("hardhat_setBalance", [address, RICH]);
  }
}

/** A folder that is gone after the benchmark, however that ends. */
export function openDataDir(): {
  readonly path: string;
  readonly remove: () => void;
} {
  mkdirSync(parent, { recursive: true });
  const dataDir = mkdtempSync(path.join(parent, "bench-"));
  const clean = (): void => {
    rmSync(dataDir, { recursive: true, force: true });
  };
  process.once("exit", clean);
  return {
    path: dataDir,
    remove: () => {
      process.off("exit", clean);
      clean();
    },
  };
}
