import type { HardhatUserConfig } from "hardhat/config";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { NetworkConnection } from "hardhat/types/network";

import type {
  ClusterGroup,
  ClusterStartOptions,
  IntentReceipt,
  RunningCluster,
  SentIntent,
} from "../../../src/plugin/connection/types.ts";
import { anEnvironment } from "./environment.ts";

/** A cluster with one group of all nodes, on a chain of its own. */
export interface Scene {
  readonly connection: NetworkConnection<string>;
  readonly cluster: RunningCluster;
  readonly group: ClusterGroup;
}

/** Nodes that find out soon when something is wrong. */
export const soon = {
  tickMs: 20,
  heartbeatMs: 100,
  requestMs: 60,
  requestMsMax: 500,
  stateMs: 1_500,
  suspicionMs: 1_000,
  pollMs: 25,
} as const;

const open: NetworkConnection<string>[] = [];
let environment: HardhatRuntimeEnvironment | undefined;

/** A chain of its own. {@link closeConnections} closes it. */
export async function aConnection(
  config?: HardhatUserConfig,
): Promise<NetworkConnection<string>> {
  const hre =
    config === undefined
      ? (environment ??= await anEnvironment())
      : await anEnvironment(config);
  const connection = await hre.network.create();
  open.push(connection);
  return connection;
}

/** To be called after each test. */
export async function closeConnections(): Promise<void> {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
}

/** Starts nodes, with a group of all of them. */
export async function aScene(
  options: ClusterStartOptions = {},
): Promise<Scene> {
  const connection = await aConnection();
  const cluster = await connection.sequencer.start({
    blockMs: 100,
    ...options,
    settings: { ...soon, ...options.settings },
  });
  const group = await cluster.createGroup({ domain: "group-token" });
  return { connection, cluster, group };
}

/** Makes coins for an account, and resolves when they are on the ledger. */
export async function mint(
  group: ClusterGroup,
  to: string,
  amount: number,
): Promise<void> {
  const [node = ""] = group.members;
  const intent = await group.send(node, "mint", { to, amount });
  await intent.confirmed();
}

/** Every node in turn pays one coin from the same account. */
export async function payOnes(
  group: ClusterGroup,
  { from, to, count }: { from: string; to: string; count: number },
  nodes: readonly string[] = group.members,
): Promise<readonly SentIntent[]> {
  return await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const node = nodes[i % nodes.length] ?? "";
      return await group.send(node, "transfer", { from, to, amount: 1n });
    }),
  );
}

export async function receiptsOf(
  intents: readonly SentIntent[],
): Promise<readonly IntentReceipt[]> {
  return await Promise.all(
    intents.map(async (intent) => await intent.receipt()),
  );
}

/** Resolves when all are confirmed. */
export async function confirmed(intents: readonly SentIntent[]): Promise<void> {
  await Promise.all(intents.map(async (intent) => await intent.confirmed()));
}

export async function balanceOf(
  group: ClusterGroup,
  node: string,
  account: string,
): Promise<bigint> {
  const { balance } = await group.query(node, "balanceOf", { account });
  if (typeof balance !== "bigint") throw new Error("A balance is a number.");
  return balance;
}
