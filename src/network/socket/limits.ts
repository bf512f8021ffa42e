/** What peers and strangers can make the sockets hold or wait for has a bound, each with the reason for its number. */
export interface SocketLimits {
  readonly queued: number;
  readonly queuedBytes: number;
  readonly unknown: number;
  readonly handshakeMs: number;
  readonly frameMs: number;
  readonly pingMs: number;
  readonly pongMs: number;
  readonly probeMs: number;
  readonly silenceMs: number;
  readonly pauseMs: { readonly first: number; readonly last: number };
}

export const socketLimits: SocketLimits = {
  /** Envelopes that wait for one peer: those of a short absence. What is older, the protocol has asked again. */
  queued: 10_000,
  /** Their bytes: a few of the largest, and little enough for many peers that are away. */
  queuedBytes: 33_554_432,
  /** Connections to here that have not proven yet whose they are. More than there are peers, few enough to be cheap. */
  unknown: 64,
  /** From the beginning of a connection to its first pong, or to the proof: some ways around the world. */
  handshakeMs: 5_000,
  /** From the first byte of a frame to its last: the largest over a slow line. */
  frameMs: 30_000,
  /** From a pong to the next ping. Also how long a connection lasts before it counts as a good one. */
  pingMs: 2_000,
  /** From a ping to its pong: time for what is ahead of it on the line. */
  pongMs: 8_000,
  /**
   * The same, for a peer with several addresses that has just connected to here: another replica of it may be active, and what is
   * sent to the old one is lost.
   */
  probeMs: 1_000,
  /** A connection to here on which nothing comes for so long is dead: several pings are missing. */
  silenceMs: 20_000,
  /**
   * Before dialling again, each up to twice as long as the one before. At last as long as a heartbeat by default: who is cut
   * off hears of the coordinator soon after the cut is over.
   */
  pauseMs: { first: 50, last: 500 },
};
