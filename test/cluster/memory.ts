import { expect } from "chai";

import {
  bytesEach,
  memoryOfIdleGroups,
  memoryOfIntents,
} from "../../scripts/bench/memory.ts";

/** `npm run bench:memory` looks at many more of them. */
const INTENTS = [250, 500, 750];
const GROUPS = [20, 120];
const RESTING_MAX = 5;
const NODES = 4;
/** What a node remembers of an intent that has ended, until it has as many as it remembers at all. */
const ENDED_BYTES_MAX = 2_000;
/** A group that a node has put aside costs little more than its address, and a new process grows by itself. In memory it would cost twice this. */
const ASIDE_BYTES_MAX = 7_000;

describe("The memory of four nodes", function () {
  this.timeout(300_000);

  it("hardly grows with intents that have ended", async () => {
    const each = bytesEach(await memoryOfIntents(INTENTS)) / NODES;
    expect(each).to.be.below(ENDED_BYTES_MAX);
  });

  it("hardly grows with groups that are idle, and nobody says anything of them", async () => {
    const { points, messages } = await memoryOfIdleGroups(GROUPS, {
      quietMs: 2_000,
      restingMax: RESTING_MAX,
    });
    expect(bytesEach(points) / NODES).to.be.below(ASIDE_BYTES_MAX);
    expect(messages).to.equal(0);
  });
});
