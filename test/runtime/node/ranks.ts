import { expect } from "chai";

import type { GroupRunner } from "../../../src/runtime/node/group-runner.ts";
import { Intake } from "../../../src/runtime/node/intake.ts";
import { Pulse } from "../../../src/runtime/node/pulse.ts";
import { Turns } from "../../../src/runtime/node/turns.ts";
import { openStore, type Store } from "../../../src/runtime/store/store.ts";
import { lonelyGroup, lonelyRunner } from "../../helpers/group-runner.ts";
import { submission } from "../../helpers/letters.ts";
import { intent } from "../../helpers/simulated-group.ts";

describe("Groups in the queue of a node", () => {
  let store: Store;
  let pulse: Pulse<GroupRunner>;
  beforeEach(() => {
    store = openStore({ file: ":memory:" });
    pulse = new Pulse(5);
  });
  afterEach(() => {
    store.close();
  });

  function aRunner(number: number): GroupRunner {
    return lonelyRunner(lonelyGroup(number), { store, pulse });
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
    const turns = new Turns({
      store,
      onFatal: (error) => {
        throw error;
      },
    });
    const runner = aRunner(1);
    const intake = new Intake({
      turns,
      pulse,
      deeds: { collect: () => undefined },
      submitter: {
        publicOpen: 0,
        reservePublic: () => undefined,
        submit: () => undefined,
      },
      runner: () => runner,
    });
    let isDone = false;
    let taken = 0;
    // More users than fit into a turn, each of whom always wants something more.
    const user = async (): Promise<void> => {
      while (!isDone && taken < 20_000) {
        await intake.take({ intents: [], transactions: [] }, () => undefined);
        taken += 1;
        if (taken === 2_000)
          turns.add({
            rank: runner.rankNext(),
            run: () => {
              isDone = true;
            },
          });
      }
    };
    await Promise.all(Array.from({ length: 600 }, user));
    expect(isDone).to.equal(true);
    expect(taken).to.be.within(2_000, 10_000);
  });
});
