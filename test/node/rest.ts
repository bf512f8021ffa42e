import { expect } from "chai";

import type { GroupRunner } from "../../src/node/group-runner.ts";
import { GroupSchedule } from "../../src/node/group-schedule.ts";
import { defaultSettings } from "../../src/node/settings.ts";
import { statusOf } from "../../src/node/status.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { lonelyGroup, lonelyRunner } from "../helpers/group-runner.ts";
import { block, submission } from "../helpers/letters.ts";
import { intent } from "../helpers/simulated-group.ts";

describe("A group at rest", () => {
  let store: Store;
  let schedule: GroupSchedule<GroupRunner>;
  beforeEach(() => {
    store = openStore({ file: ":memory:" });
    schedule = new GroupSchedule(5);
  });
  afterEach(() => {
    store.close();
  });

  function aRunner(historyThrough?: number): GroupRunner {
    return lonelyRunner(lonelyGroup(1, historyThrough), { store, schedule });
  }

  it("is told of no ticks and blocks, and knows both when something happens", () => {
    const runner = aRunner();
    expect([...schedule.awake]).to.deep.equal([]);
    schedule.ticks = 7;
    schedule.height = 9;
    runner.handle(submission(intent(1, "")));
    expect(runner.sequencer).to.include({ tick: 7, height: 9 });
    expect([...schedule.awake]).to.deep.equal([runner]);
  });

  it("misses nothing twice", () => {
    const runner = aRunner();
    schedule.ticks = 7;
    runner.handle({ type: "Tick" });
    expect([...schedule.awake]).to.deep.equal([]);
    schedule.ticks = 8;
    runner.wake();
    runner.wake();
    expect(runner.sequencer.tick).to.equal(9);
  });

  it("shows the height of its node", () => {
    const runner = aRunner();
    schedule.height = 5 + 3 * defaultSettings.rangeSizeBlocks;
    const { range } = statusOf(runner, { tickMs: 50 });
    expect(range).to.equal(
      Math.floor(schedule.height / defaultSettings.rangeSizeBlocks),
    );
    expect([...schedule.awake]).to.deep.equal([]);
  });

  it("has the past that it was told of, and not the node's height, until that is indexed", () => {
    const runner = aRunner(2);
    runner.handle(block(3));
    expect([...schedule.awake]).to.deep.equal([runner]);
    expect(runner.sequencer.height).to.equal(3);
    runner.isCaughtUp = true;
    runner.handle({ type: "Tick" });
    expect([...schedule.awake]).to.deep.equal([]);
  });
});
