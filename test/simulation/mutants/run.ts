import { expect } from "chai";

import { mutants, type Mutant } from "./catalogue.ts";
import type { Catch } from "./hunt.ts";
import { Copy } from "./sabotage.ts";

/** Seeds within which a sabotage must be noticed: about twice what the most hidden one needs. */
const seedsMax = 80;
const timeoutMs = 120_000;

async function hunt(mutant: Mutant): Promise<Catch> {
  const copy = new Copy(mutant);
  try {
    const { runs } = mutant;
    return await copy.hunt({ runs, firstSeed: 1, seeds: seedsMax }, timeoutMs);
  } finally {
    copy.remove();
  }
}

/** Starts the hunts two at a time, in order: as many as there are cores to count on. */
function huntAll(): Promise<Catch>[] {
  const lanes: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()];
  return mutants.map((mutant, index) => {
    const lane = index % lanes.length;
    const caught = (lanes[lane] ?? Promise.resolve()).then(
      async () => await hunt(mutant),
    );
    lanes[lane] = caught.catch(() => undefined);
    return caught;
  });
}

describe("Sabotage of the protocol", function () {
  this.timeout(mutants.length * timeoutMs);
  let hunts: Promise<Catch>[] = [];

  before(() => {
    hunts = huntAll();
  });

  it("is tried in at least twenty ways", () => {
    expect(mutants.length).to.be.at.least(20);
    const names = new Set(mutants.map(({ name }) => name));
    expect(names.size).to.equal(mutants.length);
  });

  mutants.forEach(({ name, properties }, index) => {
    it(`is noticed when a node ${name}`, async () => {
      const { violation } = (await hunts[index]) ?? {};
      expect(violation, `no violation in ${seedsMax} seeds`).to.not.equal(
        undefined,
      );
      expect(properties).to.include(violation?.property);
    });
  });
});
