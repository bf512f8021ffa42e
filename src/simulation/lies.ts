import type { IntentId, StateId } from "../protocol/ids.ts";
import type {
  CoordinatorClaim,
  DelegationRefusal,
  DenialReason,
  Stage,
} from "../protocol/messages.ts";
import type { SpeculativeView } from "../protocol/transition.ts";
import { mintCoin } from "./coins.ts";
import type { Random } from "./random.ts";

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

/** What is in flight, and more: states that nobody spends, and coins that nobody makes. */
export function falseView(
  { created, spent }: SpeculativeView,
  known: {
    readonly ids: readonly IntentId[];
    readonly states: readonly StateId[];
  },
  random: Random,
): SpeculativeView {
  const coins = known.ids.map((intentId) =>
    mintCoin({
      account: random.pick(["a", "b", "c", "d", "e"]),
      amount: random.between(1, 1_000),
      index: random.below(4),
      intentId,
    }),
  );
  return {
    created: [...created, ...coins.map(({ state }) => state)],
    spent: [...spent, ...known.states],
  };
}
