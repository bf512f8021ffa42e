import { expect } from "chai";

import { faultGroups, type FaultGroup } from "../../src/simulation/faults.ts";
import { simulate } from "../../src/simulation/simulate.ts";

/** How many seeds of each group of faults are run, and the first of them. With all faults together, ten times as many. */
const seeds = Number(process.env["SEEDS"] ?? 51);
const seedsOfAll = 10 * seeds;
const firstSeed = Number(process.env["FIRST_SEED"] ?? 1);
const transcriptLines = 60;

/** The last things that happened before a property failed. */
function storyOf(seed: number, faults: FaultGroup): string {
  const lines: string[] = [];
  simulate({
    seed,
    faults,
    transcript: (line) => {
      lines.push(line);
      if (lines.length > transcriptLines) lines.shift();
    },
  });
  return lines.join("\n");
}

describe("Simulation", function () {
  this.timeout(Math.max(60_000, seedsOfAll * 1_000));

  for (const faults of faultGroups) {
    const runs = faults === "all" ? seedsOfAll : seeds;
    it(`keeps its promises in ${runs} runs with faults: ${faults}`, () => {
      for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
        const { violation } = simulate({ seed, faults });
        if (violation !== undefined)
          expect.fail(
            `seed ${seed}, faults ${faults}: ${violation.message}\n${storyOf(seed, faults)}`,
          );
      }
    });
  }

  it("does the same thing again for the same seed", () => {
    for (const faults of faultGroups) {
      const once = simulate({ seed: 3, faults });
      const again = simulate({ seed: 3, faults, transcript: () => undefined });
      expect(again.traceHash).to.equal(once.traceHash);
      expect(again.statistics).to.deep.equal(once.statistics);
    }
  });

  it("does something else for another seed", () => {
    const hashes = new Set<string>();
    for (let seed = 1; seed <= 20; seed++)
      hashes.add(simulate({ seed, faults: "all" }).traceHash);
    expect(hashes.size).to.equal(20);
  });

  it("wastes nothing when there are no faults and one node", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { statistics, violation } = simulate({
        seed,
        faults: "none",
        nodes: 1,
      });
      expect(violation).to.equal(undefined);
      // Users who submit what was prepared for them compete with what is in flight.
      if (statistics.executed === 0)
        expect(statistics.ledgerReverts).to.equal(0);
    }
  });
});
