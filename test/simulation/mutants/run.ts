import { expect } from "chai";

import { properties as meanings } from "../../../src/simulation/properties.ts";
import { mutants as all, type Mutant } from "./catalogue.ts";
import type { Catch } from "./hunt.ts";
import { Copy } from "./sabotage.ts";

// A simulator that never fails proves nothing: each of these sabotages must make it fail.

/** Seeds within which a sabotage must be noticed: about twice what the most hidden one needs. */
const seedsMax = 150;
/** Generous: a sabotage may hang, but a busy machine must not fail the test. */
const timeoutMs = 300_000;

/** Those whose names contain a text, or all. */
const only = process.env["ONLY"] ?? "";
const mutants = all.filter(({ name }) => name.includes(only));

const nothing: Catch = { runs: 0, violation: undefined };

async function hunt(
  runs: Mutant["runs"],
  seeds: number,
  mutant?: Mutant,
): Promise<Catch> {
  const copy = new Copy(mutant);
  try {
    return await copy.hunt({ runs, firstSeed: 1, seeds }, timeoutMs);
  } finally {
    copy.remove();
  }
}

/** Starts the hunts two at a time, in order: as many as there are cores to count on. */
function startAll(hunts: readonly (() => Promise<Catch>)[]): Promise<Catch>[] {
  const lanes: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()];
  return hunts.map((start, index) => {
    const lane = index % lanes.length;
    const caught = (lanes[lane] ?? Promise.resolve()).then(start);
    lanes[lane] = caught.catch(() => undefined);
    return caught;
  });
}

describe("Sabotage of the protocol", function () {
  this.timeout(mutants.length * timeoutMs);
  let hunts: Promise<Catch>[] = [];

  before(() => {
    hunts = startAll(
      mutants.map(
        (mutant) => async () => await hunt(mutant.runs, seedsMax, mutant),
      ),
    );
  });

  it("is tried in at least forty ways, against properties with a name", () => {
    expect(all.length).to.be.at.least(40);
    const names = new Set(all.map(({ name }) => name));
    expect(names.size).to.equal(all.length);
    for (const { properties } of all)
      for (const property of properties)
        expect(meanings).to.have.property(property);
  });

  mutants.forEach(({ name, properties }, index) => {
    it(`is noticed when a node ${name}`, async function () {
      const { violation, runs } = (await hunts[index]) ?? nothing;
      expect(violation, `no violation in ${runs} seeds`).to.not.equal(
        undefined,
      );
      const { property, message } = violation ?? {};
      if (this.test !== undefined)
        this.test.title += ` (${property ?? ""}, seed ${runs})`;
      expect(properties, message).to.include(property);
    });
  });

  it("is what was noticed: without it the same seeds pass", async () => {
    const seeds = new Map<string, number>();
    for (const [index, { runs }] of mutants.entries()) {
      const needed = (await hunts[index])?.runs ?? 0;
      const key = JSON.stringify(runs);
      seeds.set(key, Math.max(seeds.get(key) ?? 0, needed));
    }
    const clean = startAll(
      [...seeds].map(([key, count]) => {
        const runs = JSON.parse(key) as Mutant["runs"];
        return async () => await hunt(runs, count);
      }),
    );
    for (const { violation } of await Promise.all(clean))
      expect(violation?.message).to.equal(undefined);
  });
});
