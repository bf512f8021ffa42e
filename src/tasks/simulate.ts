import { setImmediate } from "node:timers/promises";

import type { Summary } from "../plugin/simulation/facts.ts";
import { toJson, toLines } from "../plugin/simulation/format.ts";
import type { SimulateOptions } from "../plugin/simulation/options.ts";
import { Progress } from "../plugin/simulation/progress.ts";
import { simulateSeeds, type SimulatePorts } from "../plugin/simulation/run.ts";
import { simulateDomain } from "../simulation/simulate.ts";

type TaskOptions = SimulateOptions & { readonly json: boolean };

/** The action of `sequencer:simulate`. */
export default async function simulateTask(
  options: TaskOptions,
): Promise<Summary> {
  return await report(options, simulateDomain, console.log);
}

/** Runs seeds, prints what comes of them, and sets the exit code. */
export async function report(
  { json, ...options }: TaskOptions,
  simulateOne: SimulatePorts["simulate"],
  print: (lines: string) => void,
): Promise<Summary> {
  const now = (): number => performance.now();
  const progress = new Progress(process.stderr, now);
  const summary = await simulateSeeds(options, {
    simulate: simulateOne,
    now,
    progress: async (done, seeds) => {
      progress.show(done, seeds);
      await setImmediate();
    },
    tell: (fact) => {
      const lines = json ? [toJson(fact)] : toLines(fact);
      if (lines.length === 0) return;
      progress.clear();
      print(lines.join("\n"));
    },
  });
  if (summary.isViolated) process.exitCode = 1;
  return summary;
}
