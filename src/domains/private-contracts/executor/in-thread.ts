import { setImmediate } from "node:timers/promises";

import { bounds } from "../bounds.ts";
import type { Pace } from "../evm/pace.ts";
import type { Executor } from "./executor.ts";
import { runJob } from "./job.ts";

/**
 * Executes in this thread, without limits of time and memory. For the simulator and for tests: a node that did so could be blocked by
 * its peers' contracts for as long as one operation takes.
 */
export const inThread: Executor = {
  run: async (job, lookup) => await runJob(job, { lookup, pace: newPace() }),
};

/** The same without giving the thread away: so nothing that it does depends on how fast the machine is. */
export const inOneGo: Executor = {
  run: async (job, lookup) =>
    await runJob(job, { lookup, pace: () => undefined }),
};

/** Gives the thread away now and then. */
function newPace(): Pace {
  let since = performance.now();
  return () => {
    if (performance.now() - since < bounds.sliceMs) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
