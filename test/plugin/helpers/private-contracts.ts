import hre from "hardhat";
import type { NetworkConnection } from "hardhat/types/network";

import type {
  ClusterGroup,
  ClusterStartOptions,
  RunningCluster,
} from "../../../src/plugin/connection/types.ts";
import type { PrivateArtifact } from "../../../src/plugin/domains/private-contracts.ts";
import { aConnection, soon } from "./connection.ts";

/** A contract that the tests bring. */
export async function artifactOf(name: string): Promise<PrivateArtifact> {
  return await hre.artifacts.readArtifact(name);
}

/** Three nodes, on a chain of their own. */
export async function aCluster(options: ClusterStartOptions = {}): Promise<{
  readonly cluster: RunningCluster;
  readonly connection: NetworkConnection<string>;
}> {
  const connection = await aConnection();
  const cluster = await connection.sequencer.start({
    nodes: ["alice", "bob", "carol"],
    blockMs: 100,
    ...options,
    settings: { ...soon, ...options.settings },
  });
  return { cluster, connection };
}

/** A group of private contracts, of all nodes if nothing else is said. */
export async function aContractGroup(
  cluster: RunningCluster,
  options: {
    readonly members?: readonly string[];
    readonly threshold?: number;
    readonly configuration?: Readonly<Record<string, string>>;
  } = {},
): Promise<ClusterGroup> {
  return await cluster.createGroup({ domain: "private-contracts", ...options });
}
