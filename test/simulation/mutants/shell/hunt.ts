import { text } from "node:stream/consumers";

import { trials } from "../../../../src/simulation/domains/trials.ts";
import { simulateWhole } from "../../../../src/simulation/whole/simulate.ts";
import type { Catch } from "../hunt.ts";
import type { ShellMutant } from "./catalogue.ts";

/** Runs that differ in nothing but their seeds. */
export interface ShellTrail {
  readonly runs: ShellMutant["runs"];
  readonly seeds: readonly number[];
}

/** One group for each of them. */
const groups = [
  trials["group-token"],
  trials["notarised-token"],
  trials["owned-coins"],
];

/** Runs seeds of the whole lane until a property does not hold. */
async function hunt(trails: readonly ShellTrail[]): Promise<Catch> {
  for (const { runs, seeds } of trails)
    for (const seed of seeds) {
      const { violation } = await simulateWhole({
        ...runs,
        seed,
        trials: groups,
      });
      if (violation !== undefined) return { seed, violation };
    }
  return { seed: undefined, violation: undefined };
}

// Mocha loads every file below `test`; only as a program of its own does this one run.
if (process.argv[1] === import.meta.filename) {
  const trails = JSON.parse(await text(process.stdin)) as readonly ShellTrail[];
  process.stdout.write(JSON.stringify(await hunt(trails)));
}
