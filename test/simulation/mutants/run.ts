import { expect } from "chai";

import { properties as meanings } from "../../../src/simulation/properties.ts";
import { mutants as all, type Mutant, testedMutants } from "./catalogue.ts";
import type { Catch } from "./hunt.ts";
import { Noticed } from "./noticed.ts";
import { hunt, Original, runTest } from "./sabotage.ts";
import { twoAtATime } from "./two-at-a-time.ts";

// A simulator that never fails proves nothing: each of these sabotages must make it fail.

/** Seeds within which a sabotage must be noticed: about twice what the most hidden one needs. */
const seedsMax = 250;
/** Generous: a sabotage may hang, but a busy machine must not fail the test. */
const timeoutMs = 300_000;

/** Those whose names contain a text, or all. */
const only = process.env["ONLY"] ?? "";
const mutants = all.filter(({ name }) => name.includes(only));

const nothing: Catch = { seed: undefined, violation: undefined };

const noticed = new Noticed(new URL("noticed.json", import.meta.url));

let original: Original;

describe("Sabotage of the protocol", function () {
  this.timeout(mutants.length * timeoutMs);
  let hunts: Promise<Catch>[] = [];

  before(() => {
    original = new Original();
    hunts = twoAtATime(
      mutants.map(
        (mutant) => async () =>
          await hunt(
            original,
            {
              mutant,
              trails: [
                {
                  runs: mutant.runs,
                  seeds: noticed.seedsFor(mutant.name, seedsMax),
                },
              ],
            },
            timeoutMs,
          ),
      ),
    );
  });

  it("is tried in at least a hundred ways, against properties with a name", () => {
    expect(all.length).to.be.at.least(100);
    const both = [...all, ...testedMutants];
    const names = new Set(both.map(({ name }) => name));
    expect(names.size).to.equal(both.length);
    for (const { properties } of all)
      for (const property of properties)
        expect(meanings).to.have.property(property);
  });

  mutants.forEach(({ name, properties }, index) => {
    it(`is noticed when a node ${name}`, async function () {
      const { violation, seed } = (await hunts[index]) ?? nothing;
      expect(violation, `no violation in ${seedsMax} seeds`).to.not.equal(
        undefined,
      );
      const { property, message } = violation ?? {};
      if (this.test !== undefined)
        this.test.title += ` (${property ?? ""}, seed ${seed ?? 0})`;
      expect(properties, message).to.include(property);
    });
  });

  for (const mutant of testedMutants.filter(({ name }) => name.includes(only)))
    it(`is noticed by a test when a node ${mutant.name}`, async () => {
      const printed = await runTest(original, mutant, timeoutMs);
      expect(printed).to.include("0 passing").and.to.include("1 failing");
    });

  it("is what was noticed: without it the same seeds pass", async () => {
    const seeds = new Map<string, Set<number>>();
    for (const [index, { runs }] of mutants.entries()) {
      const { seed } = (await hunts[index]) ?? nothing;
      const key = JSON.stringify(runs);
      if (seed !== undefined)
        seeds.set(key, (seeds.get(key) ?? new Set()).add(seed));
    }
    const trails = [...seeds].map(([key, list]) => ({
      runs: JSON.parse(key) as Mutant["runs"],
      seeds: [...list],
    }));
    // One program does them all: only the first runs wait for the compiler.
    const halves = [0, 1].map((half) =>
      trails.filter((_, i) => i % 2 === half),
    );
    const clean = twoAtATime(
      halves.map(
        (half) => async () => await hunt(original, { trails: half }, timeoutMs),
      ),
    );
    for (const { violation } of await Promise.all(clean))
      expect(violation?.message).to.equal(undefined);
  });

  after(() => {
    original.remove();
  });

  after(async () => {
    if (only !== "") return;
    const caught = new Map<string, number>();
    for (const [index, { name }] of mutants.entries()) {
      const { seed } = (await hunts[index]) ?? nothing;
      if (seed !== undefined) caught.set(name, seed);
    }
    noticed.save(caught);
  });
});
