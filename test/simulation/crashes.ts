import { expect } from "chai";

import { crashPoints } from "../../src/simulation/disk.ts";
import { simulate } from "../../src/simulation/simulate.ts";

describe("A crash at every commit", function () {
  this.timeout(120_000);

  for (const policy of ["sticky", "rotating"] as const) {
    for (const point of crashPoints) {
      it(`${point}, ${policy}: ends in one confirmation or a receipt`, () => {
        const options = {
          seed: 11,
          nodes: 3,
          threshold: 2,
          intents: 10,
          policy,
          mode: "elected",
          faults: "none",
        } as const;
        const { commits } = simulate(options).statistics;
        expect(commits).to.be.greaterThan(30);
        for (let commit = 0; commit < commits; commit++) {
          const { violation, statistics } = simulate({
            ...options,
            crashAt: { commit, point },
          });
          expect(statistics.faults[`crash-${point}`]).to.equal(1);
          if (violation !== undefined)
            expect.fail(`commit ${commit}, ${point}: ${violation.message}`);
        }
      });
    }
  }
});
