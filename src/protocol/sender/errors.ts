import type { SequencerConfig } from "../config.ts";
import type { AssembleOutcome } from "../messages.ts";
import type { SenderTransaction } from "./transaction/model.ts";

/** It waits for others: an assembly that fails may succeed once they are there. */
export function isEarly(transaction: SenderTransaction | undefined): boolean {
  return transaction !== undefined && transaction.waitsFor.size > 0;
}

/**
 * An error of the domain costs retries, and is final once there are none left: otherwise an intent on which the domain always
 * fails would never end. If the domain was not asked about an intent, because the answer was full or late before, nothing counts.
 */
export function weigh(
  { retriesMax }: Pick<SequencerConfig, "retriesMax">,
  outcome: AssembleOutcome | undefined,
  transaction: SenderTransaction | undefined,
): {
  readonly outcome: AssembleOutcome | undefined;
  readonly isCounted: boolean;
} {
  if (outcome === undefined)
    return { outcome: deferralOf(transaction), isCounted: false };
  const isCounted = !isEarly(transaction);
  const isFinal =
    transaction !== undefined && isCounted && transaction.retries >= retriesMax;
  return outcome.type === "error" && isFinal
    ? { outcome: { ...outcome, type: "reverted" }, isCounted }
    : { outcome, isCounted };
}

function deferralOf(
  transaction: SenderTransaction | undefined,
): AssembleOutcome | undefined {
  if (transaction?.state !== "Assembling") return undefined;
  const reason = "The answer is full. It comes with another one.";
  return { type: "error", id: transaction.id, reason };
}
