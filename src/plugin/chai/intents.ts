import { show } from "./arguments.ts";
import type { Check } from "./chain.ts";
import { outcomeOf } from "./outcome.ts";

/** The ledger has the intent. */
export function checkConfirmed(expected: unknown): Check {
  return async (fail, isNegated) => {
    const outcome = await outcomeOf(expected);
    const { subject } = outcome;
    if (outcome.type === "other")
      fail(
        `Expected an intent, a private transaction, or a promise of one, but got ${subject}.`,
      );
    if (outcome.type === "reverted" && !isNegated)
      fail(
        `Expected ${subject} to be confirmed, but it reverted: ${outcome.reason}`,
      );
    if (outcome.type === "confirmed" && isNegated)
      fail(`Expected ${subject} not to be confirmed, but it was.`);
    return [];
  };
}

/** The intent reverted, and a text is the reason, or a pattern matches it. */
export function checkReason(expected: unknown, reason: string | RegExp): Check {
  return async (fail, isNegated) => {
    const outcome = await outcomeOf(expected);
    const { subject } = outcome;
    const wanted = `to revert with reason ${show(reason)}`;
    if (outcome.type === "reverted") {
      const isSame =
        typeof reason === "string"
          ? [outcome.reason, outcome.revert?.message].includes(reason)
          : [outcome.reason, outcome.revert?.message ?? ""].some(
              (text) => text.search(reason) !== -1,
            );
      if (isSame && isNegated)
        fail(`Expected ${subject} not ${wanted}, but it did.`);
      if (!isSame && !isNegated)
        fail(
          `Expected ${subject} ${wanted}, but the reason is ${show(outcome.reason)}.`,
        );
    } else if (!isNegated)
      fail(
        outcome.type === "confirmed"
          ? `Expected ${subject} ${wanted}, but it was confirmed.`
          : `Expected an intent or a call of a private contract ${wanted}, but got ${subject}.`,
      );
    return [];
  };
}
