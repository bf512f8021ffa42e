/** Time, as far as it is waited for. A test has its own, and decides when later is. */
export interface Timers {
  /** Runs once after so many milliseconds, never at once. Gives what calls it off. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Milliseconds since any moment. They never go back. */
  readonly now: () => number;
}

/** The timers of the machine. Who waits for them does not keep the process alive. */
export const machineTimers: Timers = {
  now: () => performance.now(),
  after: (ms, run) => {
    if (ms > 0) {
      const timeout = setTimeout(run, ms);
      timeout.unref();
      return () => {
        clearTimeout(timeout);
      };
    }
    // A timeout would take a millisecond.
    const immediate = setImmediate(run);
    return () => {
      clearImmediate(immediate);
    };
  },
};
