import { type Check, short, type Violation } from "./violation.ts";

/** The ledger alone: every state and every intent once, and the contract agrees with its own events. */
export const checkLedger: Check = ({ ledger }) => {
  const violations: Violation[] = [];
  const say = (property: string, what: string): void => {
    violations.push({ property, what });
  };
  const created = new Set<string>();
  const spent = new Set<string>();
  const fulfilled = new Set<string>();
  for (const { block, intents, inputs, outputs } of ledger.transitions) {
    for (const id of inputs) {
      if (spent.has(id))
        say("S1", `state ${short(id)} was spent again in block ${block}`);
      else if (!created.has(id))
        say("S6", `state ${short(id)}, spent in block ${block}, never was`);
      spent.add(id);
    }
    for (const id of outputs) {
      if (created.has(id))
        say("S3", `state ${short(id)} was created again in block ${block}`);
      created.add(id);
    }
    for (const id of intents) {
      if (fulfilled.has(id))
        say("S2", `intent ${short(id)} was fulfilled again in block ${block}`);
      fulfilled.add(id);
    }
  }
  for (const [id, isUnspent] of Object.entries(ledger.isUnspent))
    if (isUnspent !== (created.has(id) && !spent.has(id)))
      say(
        "S8",
        `state ${short(id)} is ${isUnspent ? "unspent" : "spent"} in the contract, and not so in its events`,
      );
  for (const [id, isFulfilled] of Object.entries(ledger.isFulfilled))
    if (isFulfilled !== fulfilled.has(id))
      say(
        "S8",
        `intent ${short(id)} is ${isFulfilled ? "" : "not "}fulfilled in the contract, and the events say otherwise`,
      );
  return violations;
};
