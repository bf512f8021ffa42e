import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";

import type { Cluster } from "../../cluster/cluster.ts";
import type { SimulatedChain } from "./cluster.ts";
import type { MemberNode } from "./node.ts";
import type { Sabotage } from "./sabotage.ts";

/** Nodes as they were at one moment: their databases, and what a test had done to them. */
export interface SavedCluster {
  /** Makes everything as it was. The nodes are down, and the chain is back. */
  readonly apply: () => void;
  /** Those that were up, and those of them whose blocks were held. */
  readonly up: ReadonlySet<string>;
  readonly held: ReadonlySet<string>;
  readonly isMiningPaused: boolean;
  readonly history: ReturnType<SimulatedChain["history"]["remembered"]>;
  /** Removes the copies. */
  readonly remove: () => void;
}

/**
 * Saves a cluster at once, so that nothing happens in between: all nodes are in this process. It is as if all of them had lost
 * power at the same moment; messages on their way are lost.
 */
export function saveCluster(
  { dataDir }: { readonly dataDir: string },
  {
    cluster,
    nodes,
    sabotage,
    simulated,
  }: {
    readonly cluster: Cluster;
    readonly nodes: readonly MemberNode[];
    readonly sabotage: Sabotage;
    readonly simulated: SimulatedChain;
  },
): SavedCluster {
  const folder = mkdtempSync(join(dataDir, "snapshot-"));
  const fileOf = (name: string): string => join(folder, `${name}.db`);
  for (const member of cluster.members) member.copyTo(fileOf(member.name));
  const faults = cluster.faults();
  const reverts = sabotage.save();
  const namesOf = (nodes: readonly MemberNode[]): ReadonlySet<string> =>
    new Set(nodes.map(({ name }) => name));
  return {
    apply: () => {
      for (const member of cluster.members)
        member.replaceBy(fileOf(member.name));
      cluster.setFaults(faults);
      sabotage.restore(reverts);
    },
    up: namesOf(nodes.filter(({ isUp }) => isUp)),
    held: namesOf(nodes.filter(({ isHeld }) => isHeld)),
    isMiningPaused: simulated.mining.isPaused,
    history: simulated.history.remembered(),
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
