import type { Timers } from "../../src/runtime/timers.ts";

/** Timers that hardly wait, so that many things go wrong in little time. */
export const impatientTimers: Timers = {
  after: (ms, run) => {
    const timer = setTimeout(run, ms / 50);
    return () => {
      clearTimeout(timer);
    };
  },
};
