import { expect } from "chai";
import fc from "fast-check";

import { LoopDriver } from "../../src/node/driver.ts";
import type { CommitFate } from "../../src/simulation/disk.ts";
import { DiskFailure, Flushes } from "../../src/simulation/flushes.ts";
import { HostTimers } from "../../src/simulation/host-timers.ts";
import { Queue } from "../../src/simulation/queue.ts";

const fine: CommitFate = {
  isApplied: true,
  delayMs: 0,
  hasFailed: false,
  crashAfter: undefined,
};

const fates = fc.record({
  isApplied: fc.boolean(),
  delayMs: fc.nat({ max: 20 }),
  hasFailed: fc.boolean(),
  crashAfter: fc.constantFrom(undefined, undefined, 0, 0.5, 1),
});

/** A flush that the node hears of has happened. */
const honest = fates.map((fate): CommitFate =>
  fate.hasFailed || fate.crashAfter === 0 ? fate : { ...fate, isApplied: true },
);

/** One start of a node that numbers what it writes, on a disk with these fates. */
function aStart(all: readonly CommitFate[]) {
  const queue = new Queue();
  const timers = new HostTimers(queue);
  const left = [...all];
  const seen = {
    durable: [] as number[],
    performed: [] as number[],
    isDown: false,
    /** Something was performed that was not durable. */
    isHasty: false,
  };
  const crash = (): void => {
    seen.isDown = true;
    driver.stop();
    flushes.close();
    timers.stop();
  };
  const flushes = new Flushes<number>({
    queue,
    drawFate: () => left.shift() ?? fine,
    commit: (number) => seen.durable.push(number),
    crash,
    flushed: () => undefined,
  });
  const driver = new LoopDriver<number, number, number>({
    store: flushes,
    timers,
    onFatal: (error) => {
      if (!(error instanceof DiskFailure)) throw error;
      crash();
    },
  });
  driver.start({
    step: (number, draft) => {
      draft.write(number);
      draft.afterCommit(number);
    },
    isAlone: () => false,
    apply: (number) => {
      flushes.add(number);
    },
    perform: (number) => {
      seen.isHasty ||= !seen.durable.includes(number);
      seen.performed.push(number);
    },
  });
  return { queue, timers, driver, seen };
}

describe("A simulated disk", () => {
  it("keeps a beginning of what was written, and lets nothing be seen that it does not have, whatever goes wrong", () => {
    fc.assert(
      fc.property(
        fc.array(honest, { maxLength: 8 }),
        fc.array(fc.nat({ max: 10 }), { minLength: 1, maxLength: 20 }),
        (all, pauses) => {
          const { queue, driver, seen } = aStart(all);
          let atMs = 0;
          for (const [number, pauseMs] of pauses.entries()) {
            atMs += pauseMs;
            queue.after(atMs, () => {
              driver.post(number);
            });
          }
          while (queue.step());
          const numbers = [...pauses.keys()];
          expect(seen.isHasty).to.equal(false);
          expect(seen.durable).to.deep.equal(
            numbers.slice(0, seen.durable.length),
          );
          expect(seen.performed).to.deep.equal(
            numbers.slice(0, seen.performed.length),
          );
          if (!seen.isDown) expect(seen.performed).to.deep.equal(numbers);
        },
      ),
    );
  });

  it("may have what it said that it failed to take", () => {
    const { driver, seen } = aStart([{ ...fine, hasFailed: true }]);
    driver.post(1);
    expect(seen).to.deep.include({
      durable: [1],
      performed: [],
      isDown: true,
    });
  });

  it("takes nothing from a node that is gone", () => {
    const { queue, driver, seen } = aStart([
      { ...fine, delayMs: 10 },
      { ...fine, hasFailed: true, isApplied: false },
    ]);
    driver.post(1);
    driver.post(2);
    while (queue.step());
    driver.post(3);
    while (queue.step());
    expect(seen).to.deep.include({
      durable: [1],
      performed: [1],
      isDown: true,
    });
  });

  it("makes what comes meanwhile one batch", () => {
    const { queue, driver, seen } = aStart([{ ...fine, delayMs: 10 }]);
    for (const number of [1, 2, 3]) driver.post(number);
    expect(seen.durable).to.deep.equal([]);
    while (queue.step());
    expect(seen.performed).to.deep.equal([1, 2, 3]);
  });

  it("lets nothing go on while the node is frozen", () => {
    const { queue, timers, driver, seen } = aStart([]);
    timers.freeze(10);
    driver.post(1);
    expect(seen.performed).to.deep.equal([]);
    timers.thaw();
    expect(seen.performed).to.deep.equal([1]);
    timers.freeze(10);
    driver.post(2);
    while (queue.step());
    expect(seen.performed).to.deep.equal([1, 2]);
  });
});
