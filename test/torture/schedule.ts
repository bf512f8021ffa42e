import { expect } from "chai";

import { targetOf, weights } from "./harness/nemesis/faults.ts";
import { planFaults } from "./harness/nemesis/schedule.ts";

const options = {
  seed: 1,
  names: ["alice", "bob", "carol", "dave", "erin"],
  durationMs: 600_000,
};

describe("torture: the schedule of faults", () => {
  it("is the same for the same seed", () => {
    expect(planFaults(options)).to.deep.equal(planFaults(options));
    expect(planFaults(options)).to.not.deep.equal(
      planFaults({ ...options, seed: 2 }),
    );
  });

  for (const seed of [1, 2, 3, 4, 5])
    it(`has two faults at a time at most, about different things (seed ${seed})`, () => {
      const plan = planFaults({ ...options, seed });
      expect(plan.length).to.be.above(50);
      for (const { startMs, durationMs } of plan) {
        expect(startMs + durationMs).to.be.at.most(options.durationMs);
        const together = plan.filter(
          (one) =>
            one.startMs <= startMs && startMs < one.startMs + one.durationMs,
        );
        expect(together.length).to.be.at.most(2);
        const targets = together.map(({ fault }) => targetOf(fault));
        expect(new Set(targets).size).to.equal(targets.length);
      }
    });

  it("has every kind of fault in a round", () => {
    const kinds = planFaults(options).map(({ fault }) => fault.kind);
    const drawn = Object.entries(weights).filter(([, weight]) => weight > 0);
    expect(new Set(kinds)).to.deep.equal(new Set(drawn.map(([kind]) => kind)));
  });

  it("leaves out what cannot be had", () => {
    const plan = planFaults({ ...options, without: ["full-disk"] });
    expect(plan.filter(({ fault }) => fault.kind === "full-disk")).to.be.empty;
  });

  it("parts nodes into two sides, with nobody on both", () => {
    for (const { fault } of planFaults(options)) {
      if (fault.kind !== "partition") continue;
      expect(fault.sides).to.have.length(2);
      expect(fault.sides.flat().toSorted()).to.deep.equal(options.names);
      for (const side of fault.sides) expect(side).to.not.be.empty;
    }
  });
});
