/** Does things later. A test has its own, and decides when later is. */
export interface Timers {
  /** Runs once after so many milliseconds, never at once. Gives what cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
}

/** The timers of the process. */
export const realTimers: Timers = {
  after: (ms, run) => {
    if (ms > 0) {
      const timeout = setTimeout(run, ms);
      return () => {
        clearTimeout(timeout);
      };
    }
    const immediate = setImmediate(run);
    return () => {
      clearImmediate(immediate);
    };
  },
};
