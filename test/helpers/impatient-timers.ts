import { machineTimers, type Timers } from "../../src/async/timers.ts";

/** Timers that go so many times faster than the clock, so that much goes wrong in little time. */
export function timersFaster(times: number): Timers {
  return {
    now: () => performance.now(),
    after: (ms, run) => {
      if (ms === 0) return machineTimers.after(ms, run);
      const timer = setTimeout(run, ms / times);
      return () => {
        clearTimeout(timer);
      };
    },
  };
}

/** Timers that hardly wait. */
export const impatientTimers: Timers = timersFaster(50);
