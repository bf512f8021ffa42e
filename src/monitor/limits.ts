/** What others can make a monitor keep or do has a bound, and every bound is here, with the reason for its number. */
export const monitorLimits = {
  /** Own intents that are timed. Some ten megabytes; beyond that, the oldest are forgotten. */
  timedIntents: 50_000,
  /** Values of one label. All that our own code says are fewer. */
  labelValues: 64,
  /** Characters of one value of a label. */
  labelLength: 64,
  /** Peers with series of their own: as many as a label has values. */
  peers: 64,
  /** Payers whose trouble is remembered. Users' own accounts pay too. */
  payers: 1_000,
  /** Whoever asks again sooner gets the same numbers: a node with many open intents takes milliseconds to count them. */
  reuseMs: 500,
  /** Connections to the door. One scraper and one prober need two. */
  connections: 32,
  /** From the first byte of a request to the end of its headers: against clients that trickle. */
  headersMs: 5_000,
  /** From the first byte of a request to its last. Requests have no body. */
  bodyMs: 10_000,
  /** A connection without a request is closed after this time. */
  idleMs: 10_000,
  /** Characters of a free text in a log line. */
  textLength: 300,
  /** What waits to be written to the log. Whoever reads more slowly than this misses lines. */
  logBytes: 1_048_576,
} as const;
