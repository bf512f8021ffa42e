import { type Domain, DomainRefusal } from "../domain.ts";
import { abi } from "./abi.ts";
import { assemble } from "./assemble.ts";
import { findFault } from "./endorse.ts";
import { isEntitled } from "./entitlement.ts";
import { readCall, touchesOf } from "./intent.ts";
import { answer } from "./query.ts";
import { receiptOf } from "./receipt.ts";
import { findForbidden } from "./rules.ts";
import { readSettings } from "./settings.ts";

/** The domain `notarised-token`. */
export const notarisedToken: Domain = {
  name: "notarised-token",
  mode: "remote",
  abi,
  checkGroup: (group) => {
    readSettings(group);
  },
  endorsersOf: (group) => readSettings(group).notaries,
  check: (call) => {
    const intent = readCall(call);
    const forbidden = findForbidden(intent, call.group);
    if (forbidden !== undefined) throw new DomainRefusal(forbidden);
    return { payload: JSON.stringify(intent), touches: touchesOf(intent) };
  },
  assemble,
  endorse: findFault,
  query: answer,
  receipt: (_, effect) => receiptOf(effect),
  isEntitled: (_, state, node) => isEntitled(state, node),
  isRetryable: () => true,
};
