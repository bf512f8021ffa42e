import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";

import { SequencerError } from "../../src/plugin/errors.ts";
import { simulateDomain } from "../../src/simulation/simulate.ts";
import type { Summary } from "./facts.ts";
import { toJson, toLines } from "./format.ts";
import type { SimulateOptions } from "./options.ts";
import { Progress } from "./progress.ts";
import { simulateSeeds, type SimulatePorts } from "./run-seeds.ts";

type TaskOptions = SimulateOptions & { readonly json: boolean };

/** The action of `sequencer:simulate`. */
export default async function simulateTask(
  options: TaskOptions,
): Promise<Summary> {
  return await report(options, simulateDomain, console.log);
}

function writePage(file: string, page: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, page);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SequencerError("FILE_NOT_WRITTEN", {
      option: "--transcript",
      file,
      reason,
    });
  }
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
    write: writePage,
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
