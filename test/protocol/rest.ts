import { expect } from "chai";

import { isAtRest } from "../../src/protocol/sequencer.ts";
import { block, delegation } from "../helpers/letters.ts";
import { LoneNode, rank } from "../helpers/lone-node.ts";
import { intent } from "../helpers/simulated-group.ts";

/** A node that was told of every tick, and of every block. */
function told({ ticks, height }: { ticks: number; height: number }): LoneNode {
  const node = new LoneNode({ self: rank(0) });
  node.wait(ticks);
  for (let number = 1; number <= height; number++) node.tell(block(number));
  return node;
}

/** All that changes. */
function memoryOf({ sequencer }: LoneNode): object {
  return { ...sequencer, config: undefined, ranking: undefined };
}

describe("Rest", () => {
  it("begins when a node has nothing to do", () => {
    expect(isAtRest(new LoneNode({ self: rank(0) }).sequencer)).to.equal(true);
  });

  it("ends with work, and begins again when the others know that it is done", () => {
    const node = new LoneNode({ self: rank(1) });
    node.hear(rank(0), {
      type: "Heartbeat",
      state: "Active",
      boot: 1,
      beat: 1,
      height: 0,
      transactions: [],
      isComplete: true,
    });
    expect(isAtRest(node.sequencer)).to.equal(false);
    node.wait(100);
    expect(isAtRest(node.sequencer)).to.equal(true);
    node.hear(rank(2), delegation(intent(1, "")));
    expect(isAtRest(node.sequencer)).to.equal(false);
  });

  it("may be slept through: any number of ticks and blocks at once is the same", () => {
    for (let ticks = 0; ticks < 23; ticks++) {
      const slept = new LoneNode({ self: rank(0) });
      slept.tell({ type: "Rested", ticks, height: ticks });
      expect(memoryOf(slept)).to.deep.equal(
        memoryOf(told({ ticks, height: ticks })),
      );
      expect(slept.effects).to.deep.equal([]);
    }
  });

  it("is not for those who wait for something", () => {
    const node = new LoneNode({ self: rank(0) });
    node.hear(rank(1), delegation(intent(1, "")));
    expect(() => node.tell({ type: "Rested", ticks: 1, height: 1 })).to.throw(
      "at rest",
    );
  });
});
