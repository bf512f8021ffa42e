import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type * as Simulate from "../../../src/simulation/simulate.ts";
import type { Mutant } from "./catalogue.ts";

/** What to run. */
export interface Hunt {
  /** Where the copy of the programs is. */
  readonly folder: string;
  readonly runs: Mutant["runs"];
  /** In this order, until a property does not hold. */
  readonly seeds: readonly number[];
}

/** What came of it. */
export interface Catch {
  /** The seed of the run in which a property did not hold. */
  readonly seed: number | undefined;
  readonly violation:
    { readonly property: string; readonly message: string } | undefined;
}

/** Runs seeds until a property does not hold. */
async function hunt({ folder, runs, seeds }: Hunt): Promise<Catch> {
  const file = join(folder, "src", "simulation", "simulate.js");
  const { simulate } = (await import(
    pathToFileURL(file).href
  )) as typeof Simulate;
  for (const seed of seeds) {
    const { violation } = simulate({ ...runs, seed });
    if (violation !== undefined) return { seed, violation };
  }
  return { seed: undefined, violation: undefined };
}

// Mocha loads every file below `test`; only as a program of its own does this one run.
if (process.argv[1] === import.meta.filename) {
  const task = JSON.parse(process.argv[2] ?? "") as Hunt;
  process.stdout.write(JSON.stringify(await hunt(task)));
}
