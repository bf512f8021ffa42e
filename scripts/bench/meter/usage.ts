/** CPU that a process has needed since it began, in milliseconds. */
export interface Usage {
  readonly allMs: number;
  /** Of its main thread; the rest is signatures, garbage collection and compilation. */
  readonly mainMs: number;
}

/** Who reports. */
export interface Reporter {
  readonly name: string;
  /** The address that pays for its transactions. */
  readonly payer: string;
}

/** One node over some time. */
export interface NodeUsage extends Usage {
  readonly payer: string;
  /** That it submitted to the group meanwhile. */
  readonly transactions: number;
}

/** All nodes over some time. */
export interface Measured {
  readonly seconds: number;
  /** Submissions that the ledger, or the chain, did not take. */
  readonly failures: readonly string[];
  readonly nodes: readonly NodeUsage[];
}

/** The difference of two reports of one process. */
export function usageBetween(before: Usage, after: Usage): Usage {
  return {
    allMs: after.allMs - before.allMs,
    mainMs: after.mainMs - before.mainMs,
  };
}
