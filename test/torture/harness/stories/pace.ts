import { setTimeout } from "node:timers/promises";

import type { Stage, Status } from "./stage.ts";

/** What a node said, and when. */
interface Look {
  readonly atMs: number;
  readonly status: Status;
}

/**
 * How many milliseconds nodes take for what they count as one, until it is over: more than one if the machine is busy, as they
 * count time in ticks. They count how long a coordinator has been silent, which begins anew when it says something.
 */
export async function paceOf(
  stage: Stage,
  nodes: readonly string[],
  over: AbortSignal,
): Promise<number> {
  const last = new Map<string, Look>();
  let tookMs = 0;
  let countedMs = 0;
  while (!over.aborted) {
    for (const node of nodes) {
      const status = await stage.see(node, "answers", () => true);
      const look = { atMs: performance.now(), status };
      const before = last.get(node);
      last.set(node, look);
      if (before === undefined || before.status.active !== status.active)
        continue;
      const { heartbeatAgeMs: from } = before.status;
      const { heartbeatAgeMs: to } = status;
      if (from === undefined || to === undefined) continue;
      // It has said something, or nobody counts.
      if (to <= from) continue;
      tookMs += look.atMs - before.atMs;
      countedMs += to - from;
    }
    await setTimeout(50);
  }
  return countedMs === 0 ? 1 : Math.max(1, tookMs / countedMs);
}
