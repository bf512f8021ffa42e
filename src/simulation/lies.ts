import type { StateId } from "../protocol/ids.ts";
import type {
  CoordinatorClaim,
  DelegationRefusal,
  DenialReason,
  Stage,
} from "../protocol/messages.ts";
import type { SpeculativeView, State } from "../protocol/transition.ts";

// What a liar makes up, and the words that it has.

export const claims: readonly CoordinatorClaim[] = [
  "Elect",
  "Prepared",
  "Active",
  "Flush",
  "Closing",
];
export const stages: readonly Stage[] = [
  "pooled",
  "assembling",
  "endorsing",
  "confirming",
  "prepared",
  "dispatched",
  "sequenced",
  "submitted",
  "confirmed",
  "reverted",
];
export const denials: readonly DenialReason[] = [
  "not-delegate",
  "unknown",
  "settled",
  "changed",
  "prepare-only",
];
export const refusals: readonly DelegationRefusal[] = [
  "not-coordinator",
  "coordinator-behind",
  "sender-behind",
  "busy",
];
export const heights = [
  0,
  1,
  5,
  1_000,
  900_000,
  2 ** 31,
  Number.MAX_SAFE_INTEGER,
];

/** What is in flight, and more: states that nobody spends, and states that nobody creates. */
export function falseView(
  { created, spent }: SpeculativeView,
  untouched: readonly StateId[],
  madeUp: readonly State[],
): SpeculativeView {
  return { created: [...created, ...madeUp], spent: [...spent, ...untouched] };
}
