import { intentsOf } from "./settlement.ts";
import { type Check, short } from "./violation.ts";

/** Nothing happened that nobody asked for. */
export const checkStrangers: Check = (evidence) => {
  const wanted = new Set(intentsOf(evidence).values());
  return evidence.ledger.transitions.flatMap(({ block, intents }) =>
    intents
      .filter((id) => !wanted.has(id))
      .map((id) => ({
        property: "S9",
        what: `nobody asked for intent ${short(id)}, which was fulfilled in block ${block}`,
      })),
  );
};
