import { expect } from "chai";

import {
  bytesEach,
  memoryOfIdleGroups,
  memoryOfIntents,
} from "../../../scripts/bench/memory.ts";

/** `npm run bench:memory` looks at many more of them. */
const INTENTS = [250, 500, 1_000];
const GROUPS = [10, 20, 40];
const NODES = 4;
/** What a node remembers of an intent that has ended, until it has as many as it remembers at all. */
const ENDED_BYTES_MAX = 2_000;
const GROUP_BYTES_MAX = 30_000;

describe("The memory of four nodes", function () {
  this.timeout(300_000);

  it("hardly grows with intents that have ended", async () => {
    const each = bytesEach(await memoryOfIntents(INTENTS)) / NODES;
    expect(each).to.be.below(ENDED_BYTES_MAX);
  });

  it("hardly grows with groups that are idle, and nobody says anything of them", async () => {
    const { points, messages } = await memoryOfIdleGroups(GROUPS, 2_000);
    expect(bytesEach(points) / NODES).to.be.below(GROUP_BYTES_MAX);
    expect(messages).to.equal(0);
  });
});
