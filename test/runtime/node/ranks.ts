import { expect } from "chai";

import type { GroupRunner } from "../../../src/runtime/node/group-runner.ts";
import { Pulse } from "../../../src/runtime/node/pulse.ts";
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
});
