import { limits } from "../../protocol/limits.ts";

/** What a transaction may take, each with the reason for its number. */
export const bounds = {
  /** Slots of a page. Structs and small arrays share one; entries of a mapping almost never do, so their users do not meet. */
  pageSlots: 32n,
  /** Names in one part of a directory before it is split: a few kilobytes, to be written for every new name. */
  directoryNames: 64,
  /** States that a step spends, reads, creates. */
  states: limits.states,
  /** Characters of a state's content, less what wraps its data. */
  dataLength: limits.contentBytes - 1_024,
  /** Characters of what an intent carries. */
  payloadLength: limits.contentBytes,
  /** Public calls of one transaction, and the characters of each. */
  calls: limits.calls,
  callLength: limits.callDigits,
  /** Characters of a reason. */
  reasonLength: limits.reasonBytes - 64,
  /** Gas of a transaction, if the group does not say. As much as a block of a public chain. */
  gasLimit: 30_000_000n,
  /** The most that a group may say. About half a minute of the slowest loop, and ten seconds of work beside it. */
  gasLimitMax: 100_000_000n,
  /** The same, and what there is if a group says nothing, by the rules of osaka (EIP-7825). */
  gasLimitOsaka: 16_777_216n,
  /**
   * Units of work of one operation, each about 100 nanoseconds. It cannot be interrupted, so other transactions wait for it: about a
   * second, as long as 128 multiplications in G2 take, the most expensive operation with a price of its own.
   */
  operationWork: 12_000_000,
  /** Bytes of code that calls within calls run at once. Each takes the EVM thirty bytes of memory. */
  codeBytesAtOnce: 4 * 1_024 * 1_024,
  /** States that a transaction looks for, found or not. A step names no more than 768, and a few more lead to each. */
  lookups: 4_096,
  /** Jobs in the worker thread at once, of all groups and of one. They take turns; each may take some hundred megabytes. */
  jobsAtOnce: 8,
  jobsAtOnceOfGroup: 2,
  /** Jobs of one member of a group that wait for the worker. More than all nodes of a process ever check at once. */
  jobsWaiting: 1_024,
  /** Milliseconds that a job runs before another one does. */
  sliceMs: 10,
  /**
   * Milliseconds that a job may run, and gas that adds one more. Work is bounded by gas for everybody alike; this only ends
   * transactions of which a node finds out that they were priced wrongly. It is four times more than any known to us takes.
   */
  budgetMs: 2_000,
  gasPerMs: 500,
  /** Megabytes of the worker's heap. A worker that needs more ends. */
  heapMb: 1_024,
  /** Milliseconds between two looks at the worker, and looks without any progress after which it is replaced. */
  lookMs: 1_000,
  quietLooks: 10,
  /** Bytes that a question is answered with. Nobody reads more, and all of it goes through the node's own thread. */
  returnedBytes: 128 * 1_024,
} as const;
