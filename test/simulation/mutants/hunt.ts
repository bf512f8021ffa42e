import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type * as Simulate from "../../../src/simulation/simulate.ts";
import type { Mutant } from "./catalogue.ts";

/** What to run. */
export interface Hunt {
  /** Where the copy of the source is. */
  readonly folder: string;
  readonly runs: Mutant["runs"];
  readonly firstSeed: number;
  readonly seeds: number;
}

/** What came of it. */
export interface Catch {
  /** Runs until a property did not hold, or all of them. */
  readonly runs: number;
  readonly violation:
    { readonly property: string; readonly message: string } | undefined;
}

/** Runs seeds until a property does not hold. */
async function hunt({ folder, runs, firstSeed, seeds }: Hunt): Promise<Catch> {
  const file = join(folder, "src", "simulation", "simulate.ts");
  const { simulate } = (await import(
    pathToFileURL(file).href
  )) as typeof Simulate;
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    const { violation } = simulate({ ...runs, seed });
    if (violation !== undefined)
      return { runs: seed - firstSeed + 1, violation };
  }
  return { runs: seeds, violation: undefined };
}

// Mocha loads every file below `test`; only as a program of its own does this one run.
if (process.argv[1] === import.meta.filename) {
  const task = JSON.parse(process.argv[2] ?? "") as Hunt;
  process.stdout.write(JSON.stringify(await hunt(task)));
}
