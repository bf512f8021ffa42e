import { expect } from "chai";

import { prepareWork } from "../../scripts/bench/core/domain.ts";
import { missedGoals, tableOf } from "../../scripts/bench/goals.ts";
import { LeanNetwork } from "../../scripts/bench/core/network.ts";

describe("Benchmark", () => {
  it("names the goals that are missed, and only those", () => {
    const missed = missedGoals([
      { name: "a", value: 1.5, valueMax: 1.5 },
      { name: "b", value: 1.6, valueMax: 1.5 },
      { name: "c", value: NaN, valueMax: 1.5 },
    ]);
    expect(missed).to.deep.equal([
      "b is 1.60, more than 1.5",
      "c is NaN, more than 1.5",
    ]);
  });

  it("prints columns of one width", () => {
    const table = tableOf([
      { policy: "sticky", cost: 1 },
      { policy: "rotating", cost: 12.345 },
    ]);
    expect(table).to.equal(
      ["policy     cost", "sticky        1", "rotating  12.35"].join("\n"),
    );
  });

  for (const policy of ["sticky", "rotating"] as const)
    it(`settles every intent of every wave, ${policy}`, () => {
      const work = prepareWork(600);
      let events = 0;
      const network = new LeanNetwork({ work, members: 4, policy }, () => {
        events += 1;
      });
      network.settle(work.intents.slice(0, 300));
      network.settle(work.intents.slice(300));
      expect(events).to.be.greaterThan(600);
    });
});
