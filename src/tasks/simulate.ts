import { setImmediate } from "node:timers/promises";

import type { Summary } from "../plugin/simulation/facts.ts";
import { toJson, toLines } from "../plugin/simulation/format.ts";
import type { SimulateOptions } from "../plugin/simulation/options.ts";
import { Progress } from "../plugin/simulation/progress.ts";
import { simulateSeeds } from "../plugin/simulation/run.ts";
import { simulate } from "../simulation/simulate.ts";

/** The action of `sequencer:simulate`. */
export default async function simulateTask({
  json,
  ...options
}: SimulateOptions & { json: boolean }): Promise<Summary> {
  const now = (): number => performance.now();
  const progress = new Progress(process.stderr, now);
  const summary = await simulateSeeds(options, {
    simulate,
    now,
    progress: async (done, seeds) => {
      progress.show(done, seeds);
      await setImmediate();
    },
    tell: (fact) => {
      const lines = json ? [toJson(fact)] : toLines(fact);
      if (lines.length === 0) return;
      progress.clear();
      console.log(lines.join("\n"));
    },
  });
  if (summary.isViolated) process.exitCode = 1;
  return summary;
}
