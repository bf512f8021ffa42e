/**
 * Prints a hash of the whole transcript of some seeds, of both lanes. The same seed gives the same bytes, whatever Node runs it:
 *
 *     node scripts/transcripts.ts
 *     npx -p node@22 node --experimental-strip-types scripts/transcripts.ts
 */
import { createHash } from "node:crypto";

import { trials } from "../src/simulation/domains/trials.ts";
import { simulate } from "../src/simulation/simulate.ts";
import { simulateWhole } from "../src/simulation/whole/simulate.ts";

const SEEDS = 10;

/** Runs one seed, and gives a line with its hash. */
async function lineOf(
  lane: string,
  seed: number,
  run: (transcript: (line: string) => void) => Promise<{ traceHash: string }>,
): Promise<string> {
  const hash = createHash("sha256");
  const { traceHash } = await run((line) => hash.update(`${line}\n`));
  return `${lane} ${seed} ${traceHash} ${hash.digest("hex")}`;
}

const groups = [
  trials["group-token"],
  trials["notarised-token"],
  trials["owned-coins"],
  trials["private-contracts"],
];
for (let seed = 1; seed <= SEEDS; seed++) {
  console.log(
    await lineOf("core", seed, async (transcript) => {
      return await Promise.resolve(
        simulate({ seed, faults: "all", transcript }),
      );
    }),
  );
  console.log(
    await lineOf(
      "whole",
      seed,
      async (transcript) =>
        await simulateWhole({ seed, trials: groups, transcript }),
    ),
  );
}
