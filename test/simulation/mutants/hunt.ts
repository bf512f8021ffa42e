import { registerHooks } from "node:module";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

import type * as Simulate from "../../../src/simulation/simulate.ts";
import type { Mutant } from "./catalogue.ts";

/** What to run. */
export interface Hunt {
  /** Where the programs are. */
  readonly folder: string;
  /** What to run instead of some of them, by their names in the folder. */
  readonly instead: Readonly<Record<string, string>>;
  /** In this order, until a property does not hold. */
  readonly trails: readonly Trail[];
}

/** Runs that differ in nothing but their seeds. */
export interface Trail {
  readonly runs: Mutant["runs"];
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
async function hunt({ folder, instead, trails }: Hunt): Promise<Catch> {
  const programs = new Map(
    Object.entries(instead).map(([file, program]) => [
      pathToFileURL(join(folder, file)).href,
      program,
    ]),
  );
  registerHooks({
    load: (url, context, nextLoad) => {
      const source = programs.get(url);
      return source === undefined
        ? nextLoad(url, context)
        : { format: "module", source, shortCircuit: true };
    },
  });
  const file = join(folder, "src", "simulation", "simulate.js");
  const { simulate } = (await import(
    pathToFileURL(file).href
  )) as typeof Simulate;
  for (const { runs, seeds } of trails)
    for (const seed of seeds) {
      const { violation } = simulate({ ...runs, seed });
      if (violation !== undefined) return { seed, violation };
    }
  return { seed: undefined, violation: undefined };
}

// Mocha loads every file below `test`; only as a program of its own does this one run.
if (process.argv[1] === import.meta.filename) {
  const task = JSON.parse(await text(process.stdin)) as Hunt;
  process.stdout.write(JSON.stringify(await hunt(task)));
}
