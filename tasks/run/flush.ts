import type { Cluster } from "../../src/cluster/cluster.ts";
import type { Node } from "../../src/node/node.ts";
import { machineTimers } from "../../src/async/timers.ts";
import { progressOf } from "../../src/view/state.ts";

/** Longer than a change of the coordinator takes. What is open after that is on disk, and goes on in the next run. */
const flushMsMax = 30_000;

function nodesUp({ members }: Cluster): readonly Node[] {
  return members.filter(({ isUp }) => isUp).map(({ node }) => node);
}

/** Intents that have not ended and do not wait for their users. */
export function openIntents(cluster: Cluster | undefined): number {
  const nodes = cluster === undefined ? [] : nodesUp(cluster);
  return progressOf(nodes.flatMap((node) => node.status().groups)).open;
}

/** Whether everything has ended that does not wait for its user. */
function isDone(cluster: Cluster): boolean {
  const hasOpen = nodesUp(cluster).some(
    (node) => node.status().openTransactions > 0,
  );
  return !hasOpen && openIntents(cluster) === 0;
}

/** Takes nothing new, and waits until what was taken has ended, for a while. */
export async function flush(
  {
    cluster,
    closeRpc,
  }: { readonly cluster: Cluster; readonly closeRpc: () => Promise<void> },
  work: Promise<void> | undefined,
): Promise<void> {
  const up = nodesUp(cluster);
  const cancel: (() => void)[] = [];
  const patience = new Promise<void>((resolve) => {
    cancel.push(machineTimers.after(flushMsMax, resolve));
  });
  const settled = new Promise<void>((resolve) => {
    const look = (): void => {
      if (isDone(cluster)) resolve();
    };
    for (const node of up) cancel.push(node.onSettled(look));
    look();
  });
  // The last of it may not have been told yet.
  const told = settled.then(
    async () => await Promise.all(up.map((node) => node.flushed())),
  );
  try {
    await closeRpc();
    await Promise.race([patience, Promise.all([told, work])]);
  } finally {
    for (const undo of cancel) undo();
  }
}
