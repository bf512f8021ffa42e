import { expect } from "chai";

import type { GroupRunner } from "../../src/node/group-runner.ts";
import { Intake } from "../../src/node/intake.ts";
import { GroupSchedule } from "../../src/node/group-schedule.ts";
import { postToGroups } from "../../src/node/node-events.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { lonelyGroup, lonelyRunner } from "../helpers/group-runner.ts";
import { submission } from "../helpers/letters.ts";
import { createTestLoop } from "../helpers/node-loop.ts";
import { intent } from "../helpers/simulated-group.ts";

describe("Groups in the queue of a node", () => {
  let store: Store;
  let schedule: GroupSchedule<GroupRunner>;
  beforeEach(() => {
    store = openStore({ file: ":memory:" });
    schedule = new GroupSchedule(5);
  });
  afterEach(() => {
    store.close();
  });

  function aRunner(number: number): GroupRunner {
    return lonelyRunner(lonelyGroup(number), { store, schedule });
  }

  it("stand where they began", () => {
    const [late, early] = [aRunner(1), aRunner(2)];
    early.handle(submission(intent(1, "")));
    late.handle(submission(intent(2, "")));
    for (let i = 0; i < 100; i++)
      expect(early.rankNext()).to.be.below(late.rankNext());
  });

  it("go to the end when something of theirs has happened", () => {
    const [first, second] = [aRunner(1), aRunner(2)];
    expect(first.rankNext()).to.be.below(second.rankNext());
    first.apply([], 6);
    expect(first.rankNext()).to.be.above(second.rankNext());
  });

  it("do not keep the others waiting, however much they have to do", () => {
    const [busy, other] = [aRunner(1), aRunner(2)];
    const ranks = Array.from({ length: 10_000 }, () => busy.rankNext());
    const rank = other.rankNext();
    expect(ranks.filter((one) => one < rank)).to.have.length.below(1_000);
    expect(ranks).to.deep.equal([...ranks].sort((a, b) => a - b));
  });

  it("go on, however much users hand in", async () => {
    const { loop, requests, start } = createTestLoop(store);
    const runner = aRunner(1);
    const intake = new Intake({
      loop,
      requests,
      schedule,
      submitter: { publicOpen: 0 },
      roster: { get: () => runner },
    });
    start({
      steps: {
        intake,
        roster: {
          has: () => true,
          drain: () => [],
          get: () => {
            isDone = true;
            return runner;
          },
        },
      },
    });
    let isDone = false;
    let taken = 0;
    // More users than fit into a batch, each of whom always wants something more.
    const user = async (): Promise<void> => {
      while (!isDone && taken < 20_000) {
        await intake.take({ intents: [], transactions: [] }, () => undefined);
        taken += 1;
        if (taken === 2_000) postToGroups(loop)(runner, { type: "Tick" });
      }
    };
    await Promise.all(Array.from({ length: 600 }, user));
    expect(isDone).to.equal(true);
    expect(taken).to.be.within(2_000, 10_000);
  });
});
