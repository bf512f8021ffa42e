import { limits } from "../../../protocol/limits.ts";

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
  /** The most that a group may say. About half a minute of an endless loop. */
  gasLimitMax: 100_000_000n,
  /** The same, and what there is if a group says nothing, by the rules of osaka (EIP-7825). */
  gasLimitOsaka: 16_777_216n,
} as const;
