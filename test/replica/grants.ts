import { expect } from "chai";

import { Grants, OrderRefusal } from "../../src/replica/orders.ts";
import { emptyHead } from "../../src/store/log/chain.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";

const grant = { hash: emptyHead.hash, epoch: undefined };

/** The epoch that was begun, or why none was. */
async function outcomeOf(asked: Promise<number>): Promise<unknown> {
  return await asked.catch((error: unknown) =>
    error instanceof OrderRefusal ? error.problem : error,
  );
}

describe("Grants of a replica", () => {
  it("are answered also if a second one comes while the first one is tried", async () => {
    const timers = new FakeTimers();
    const grants = new Grants({ waitMs: 1_000 }, { timers });
    const first = outcomeOf(grants.ask(grant));
    let second: Promise<unknown> | undefined;
    const taken = await grants.begin(emptyHead, async () => {
      second = outcomeOf(grants.ask(grant));
      return await Promise.resolve({ epoch: 7 });
    });
    expect(taken).to.deep.equal({ epoch: 7 });
    expect(await first).to.equal("late");
    let problem: unknown;
    void second?.then((outcome) => {
      problem = outcome;
    });
    await new Promise(setImmediate);
    expect(problem).to.equal("not-passive");
    expect(timers.size).to.equal(0);
  });

  it("are tried when they came while one before was refused", async () => {
    const timers = new FakeTimers();
    const grants = new Grants({ waitMs: 1_000 }, { timers });
    void outcomeOf(grants.ask(grant));
    let second: Promise<unknown> | undefined;
    const refused = await grants.begin(emptyHead, async () => {
      second = outcomeOf(grants.ask(grant));
      await Promise.resolve();
      return undefined;
    });
    expect(refused).to.equal(undefined);
    await grants.begin(
      emptyHead,
      async () => await Promise.resolve({ epoch: 8 }),
    );
    expect(await second).to.equal(8);
  });
});
