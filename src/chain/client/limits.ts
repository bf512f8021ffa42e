/** Bounds of every conversation with a chain, each with the reason for its number. */
export const clientLimits = {
  /** Hosted endpoints answer such requests within a second. With the longest pause between two looks it is below 15 s. */
  requestMs: 5_000,
  /** Searches for logs and simulations of calls take longer. Readiness must still fail within 15 s. */
  longRequestMs: 14_000,
  /** A chain in this process shares the processor with its users, so it may be slow without being away. */
  providerMs: 30_000,
  /** 2,000 blocks full of logs fit. A search that gives more is repeated over fewer blocks. */
  answerBytes: 32 * 1_048_576,
  /** Requests in one batch, at most. Hosted endpoints take at least 50, and count each of them. */
  batchRequests: 32,
  /** Of those that may take long: nodes work on the requests of a batch one after the other, and all wait for the last. */
  batchSearches: 4,
  /** An endpoint that has so many batches in a row go unanswered, but not single requests, gets no more of them. */
  batchRefusals: 3,
  /** The first pause after a refusal for too many requests, if the endpoint does not say how long. */
  pauseMsFirst: 500,
  /** The longest pause, whatever the endpoint asks for. */
  pauseMsMax: 60_000,
  /** How often a WebSocket is checked for life. It is given up if nothing came since the last time. */
  pingMs: 15_000,
  /** Methods that are counted one by one. Our own code knows fewer; the rest counts as "other". */
  methods: 32,
} as const;

const longMethods: ReadonlySet<string> = new Set([
  "eth_call",
  "eth_estimateGas",
  "eth_getBlockReceipts",
  "eth_getLogs",
]);

/** Whether an answer may take long. */
export function isLongMethod(method: string): boolean {
  return longMethods.has(method);
}

/** How long an answer to a request may take, in milliseconds. */
export function deadlineOf(method: string, timeoutMs: number): number {
  const { requestMs, longRequestMs } = clientLimits;
  const usual = longMethods.has(method) ? longRequestMs : requestMs;
  return Math.min(usual, timeoutMs);
}
