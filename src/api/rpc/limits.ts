/** What a stranger can make the server do has a bound, and every bound is here, with the reason for its number. */
export interface RpcLimits {
  readonly bodyBytes: number;
  readonly depth: number;
  readonly batch: number;
  readonly answerCharacters: number;
  readonly connections: number;
  readonly inFlight: number;
  readonly requestMs: number;
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly idleMs: number;
  readonly pingMs: number;
  readonly closeMs: number;
  readonly subscriptions: number;
  readonly bufferedBytes: number;
}

export const rpcLimits: RpcLimits = {
  /** Of an HTTP body or a WebSocket message: a contract of the largest size, as digits, with its ABI. */
  bodyBytes: 1_048_576,
  /** Arrays and objects inside one another. Nested tuples of an ABI need a dozen. */
  depth: 32,
  /** Requests in one batch: as many as fit one commit of the node without holding up others. */
  batch: 100,
  /** Of all answers to one HTTP body or WebSocket message: two queries with the longest answers. */
  answerCharacters: 8_388_608,
  /** Of each of the two ports. A node has few users, and each needs few connections. */
  connections: 256,
  /** Requests of one connection that wait for an answer; a batch counts with all its requests. */
  inFlight: 128,
  /** From a complete request to its answer. A commit takes milliseconds; a question to another node may take seconds. */
  requestMs: 30_000,
  /** From the first byte of a request to the end of its headers: against clients that trickle. */
  headersMs: 5_000,
  /** From the first byte of a request to its last: a megabyte over a slow line. */
  bodyMs: 15_000,
  /** A connection without a request is closed after this time. */
  idleMs: 10_000,
  /** A WebSocket that did not answer a ping when the next is due is dead. Clients ping as often. */
  pingMs: 30_000,
  /** From the server's wish to close a WebSocket to its end: a way around the world and back. */
  closeMs: 1_000,
  /** Of one WebSocket. Each keeps up to one batch of receipts waiting. */
  subscriptions: 32,
  /** What waits to be sent to a WebSocket. Who reads more slowly than this is cut off, and subscribes again. */
  bufferedBytes: 16_777_216,
};
