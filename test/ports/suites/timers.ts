import { expect } from "chai";

import type { Timers } from "../../../src/async/timers.ts";

/** Timers, and a way to let their time go on. */
export interface TimersUnderTest {
  readonly timers: Timers;
  /** Lets time go on until something holds. */
  readonly until: (holds: () => boolean) => Promise<void>;
}

/**
 * What all timers do. Nodes rely on it, whether time is real or not. On a machine that is busy, something without a delay may come
 * after something with one: nobody may rely on their order.
 */
export function describeTimers(
  name: string,
  open: () => TimersUnderTest,
): void {
  describe(`timers: ${name}`, () => {
    let { timers, until }: TimersUnderTest = open();
    beforeEach(() => {
      ({ timers, until } = open());
    });

    it("run nothing before the caller has returned", async () => {
      let hasRun = false;
      timers.after(0, () => {
        hasRun = true;
        timers.after(0, () => {
          hasRunAgain = true;
        });
        expect(hasRunAgain).to.equal(false);
      });
      let hasRunAgain = false;
      expect(hasRun).to.equal(false);
      await until(() => hasRunAgain);
    });

    it("run what is due first, and of the same moment what was asked for first", async () => {
      const ran: string[] = [];
      for (const [ms, label] of [
        [9, "last"],
        [3, "first"],
        [3, "second"],
        [3, "third"],
      ] as const)
        timers.after(ms, () => ran.push(label));
      const atOnce: string[] = [];
      timers.after(0, () => atOnce.push("first"));
      timers.after(0, () => atOnce.push("second"));
      await until(() => ran.length + atOnce.length === 6);
      expect(ran).to.deep.equal(["first", "second", "third", "last"]);
      expect(atOnce).to.deep.equal(["first", "second"]);
    });

    it("wait for as long as they were told, by their own clock, and run once", async () => {
      const begin = timers.now();
      const ranAt: number[] = [];
      timers.after(7, () => ranAt.push(timers.now()));
      let isOver = false;
      timers.after(20, () => {
        isOver = true;
      });
      await until(() => isOver);
      expect(ranAt).to.have.length(1);
      // A machine rounds to milliseconds.
      expect(ranAt[0]).to.be.at.least(begin + 6);
    });

    it("have a clock that never goes back", async () => {
      const times = [timers.now()];
      for (let i = 0; i < 5; i++) {
        let isOver = false;
        timers.after(i % 2, () => {
          isOver = true;
        });
        await until(() => isOver);
        times.push(timers.now());
      }
      expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
    });

    it("do not run what is called off, however late and however often", async () => {
      const ran: string[] = [];
      const callOff = [0, 0, 2].map((ms) =>
        timers.after(ms, () => ran.push("called off")),
      );
      callOff[0]?.();
      // Due at the same moment, and called off by the one before it.
      timers.after(3, () => sameMoment());
      const sameMoment = timers.after(3, () => ran.push("called off"));
      timers.after(0, () => ran.push("kept"));
      callOff[1]?.();
      callOff[2]?.();
      const over = timers.after(6, () => ran.push("end"));
      await until(() => ran.length === 2);
      for (const again of [...callOff, sameMoment, over]) again();
      expect(ran.toSorted()).to.deep.equal(["end", "kept"]);
    });

    it("can call off what is due in the same moment without a delay", async () => {
      const ran: string[] = [];
      timers.after(0, () => {
        ran.push("first");
        second();
      });
      const second = timers.after(0, () => ran.push("second"));
      timers.after(0, () => ran.push("third"));
      await until(() => ran.includes("third"));
      expect(ran).to.deep.equal(["first", "third"]);
    });
  });
}
