import type { NodeSettings } from "../../../src/node/settings.ts";
import {
  type BenchClusterOptions,
  openBenchCluster,
} from "../bench-cluster.ts";
import type { BenchChain } from "../chains.ts";
import { Pot, spendAll } from "../pot.ts";
import type { Spenders } from "./spenders.ts";

/** Nodes in this process. */
export async function openTogether(
  chain: BenchChain,
  settings: Partial<NodeSettings>,
  openDisk?: BenchClusterOptions["openDisk"],
): Promise<Spenders> {
  const nodes = await openBenchCluster(chain, {
    settings,
    ...(openDisk !== undefined && { openDisk }),
  });
  const pot = await Pot.create(nodes.cluster);
  return {
    group: pot.group,
    fill: async (intents) => {
      await pot.fill(intents);
    },
    spend: async (intents) => {
      await spendAll(nodes.cluster, [pot], intents);
    },
    check: async () => {
      await pot.check();
    },
    failures: nodes.failures,
    stop: nodes.stop,
  };
}
