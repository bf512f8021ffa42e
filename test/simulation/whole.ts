import { expect } from "chai";

import { trials } from "../../src/simulation/domains/trials.ts";
import type { SimulationResult } from "../../src/simulation/simulate.ts";
import type { WholeOptions } from "../../src/simulation/whole/settings.ts";
import { simulateWhole } from "../../src/simulation/whole/simulate.ts";

/** More of them: WHOLE_SEEDS=1000 npx mocha test/simulation/whole.ts */
const SEEDS = Number(process.env["WHOLE_SEEDS"] ?? 20);
const FIRST_SEED = Number(process.env["WHOLE_FIRST_SEED"] ?? 1);

const allTrials = [
  trials["group-token"],
  trials["notarised-token"],
  trials["owned-coins"],
];

async function run(
  seed: number,
  options: Partial<WholeOptions> = {},
): Promise<SimulationResult> {
  return await simulateWhole({ seed, trials: allTrials, ...options });
}

/** What seeds have found, by the seed that found it. */
const found: Readonly<Record<number, string>> = {
  5003: "a node that knew only the last blocks took their replacement for another chain, for good",
  5791: "a node did not rejoin a group whose creation the chain once did not show",
};

describe("Nodes as they ship, in the simulator", function () {
  this.timeout(120_000 + SEEDS * 10_000);

  for (const [seed, what] of Object.entries(found))
    it(`pass seed ${seed}: ${what}`, async () => {
      const { violation } = await run(Number(seed));
      expect(violation).to.equal(undefined);
    });

  for (const policy of ["sticky", "rotating"] as const)
    it(`keep every property under all faults, ${policy} (${SEEDS} seeds from ${FIRST_SEED})`, async () => {
      for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
        const { violation } = await run(seed, { policy });
        expect(violation, `seed ${seed}`).to.equal(undefined);
      }
    });

  it("do the same again with the same seed, to the last message", async () => {
    const transcripts: string[][] = [];
    for (let i = 0; i < 2; i++) {
      const lines: string[] = [];
      const transcript = (line: string): number => lines.push(line);
      const { traceHash } = await run(7, { transcript });
      transcripts.push([traceHash, ...lines]);
    }
    expect(transcripts[0]).to.deep.equal(transcripts[1]);
    expect(transcripts[0]?.length).to.be.greaterThan(50);
  });

  it("do something else with another seed", async () => {
    const [one, other] = [await run(7), await run(8)];
    expect(one.traceHash).to.not.equal(other.traceHash);
  });

  it("are hit by every kind of fault", async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 30; seed++)
      for (const fault of Object.keys((await run(seed)).statistics.faults))
        seen.add(fault);
    for (const fault of [
      "crash",
      "crash-after-commit",
      "disk-failed",
      "disk-lost",
      "freeze",
      "message-doubled",
      "message-late",
      "message-lost",
      "path-clogged",
      "reorganisation",
    ])
      expect(seen).to.include(fault);
  });

  it("lose what they promised if disks lie, and that is noticed", async () => {
    const violated: string[] = [];
    for (let seed = 1; seed <= 20 && violated.length === 0; seed++) {
      const { violation } = await run(seed, {
        faults: "crash",
        diskLies: 0.95,
      });
      if (violation !== undefined) violated.push(violation.property);
    }
    expect(violated).to.have.length(1);
  });
});
