import { expect } from "chai";
import fc from "fast-check";

import {
  type Mark,
  ReplayWindow,
  windowSize,
} from "../../src/network/replay-window.ts";

/** The same, with everything remembered. */
class SlowWindow {
  readonly #came: Mark[] = [];

  isNew({ boot, sequence }: Mark): boolean {
    const bootMax = Math.max(0, ...this.#came.map((mark) => mark.boot));
    if (boot !== bootMax) return boot > bootMax;
    const numbers = this.#came
      .filter((mark) => mark.boot === boot)
      .map((mark) => mark.sequence);
    return (
      sequence > Math.max(0, ...numbers) - windowSize &&
      !numbers.includes(sequence)
    );
  }

  accept(mark: Mark): void {
    this.#came.push(mark);
  }
}

describe("a replay window", () => {
  it("answers as if it remembered everything", () => {
    const jump = fc.oneof(
      fc.integer({ min: -1_100, max: 1_100 }),
      fc.integer({ min: -4, max: 4 }),
      fc.constantFrom(-windowSize, 1 - windowSize, windowSize, windowSize - 1),
      fc.integer({ min: 2_000, max: 100_000 }),
    );
    const step = fc.record({
      jump,
      boots: fc.oneof(
        { weight: 9, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: -1, max: 2 }) },
      ),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const window = new ReplayWindow();
        const slow = new SlowWindow();
        for (const { jump: by, boots } of steps) {
          const { boot, sequence } = window.mark;
          const mark = {
            boot: Math.max(1, boot + boots),
            sequence: Math.max(1, sequence + by),
          };
          expect(window.isNew(mark)).to.equal(slow.isNew(mark));
          if (!window.isNew(mark)) continue;
          window.accept(mark);
          slow.accept(mark);
          expect(window.isNew(mark)).to.equal(false);
        }
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});
