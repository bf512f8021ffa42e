import {
  type Address,
  byteLength,
  type Hex,
  type IntentId,
  type LedgerError,
  parseHex,
  type StateId,
} from "../../../src/ledger/index.ts";
import { Refusal } from "../../../src/simulation/chain-rpc/contracts/checks.ts";
import {
  type GroupEvent,
  type GroupState,
  takeStep,
} from "../../../src/simulation/chain-rpc/contracts/group.ts";
import {
  encodeStep,
  type Step,
} from "../../../src/simulation/chain-rpc/contracts/step.ts";

export type Outcome =
  | { readonly type: "Done"; readonly event: GroupEvent }
  | { readonly type: "Refused"; readonly error: LedgerError };

/** What is known about a group, in plain sets. */
export interface Model extends GroupState {
  unspent: Set<StateId>;
  fulfilled: Set<IntentId>;
  approvals: Set<string>;
  /** Digests whose signatures are known to be good, so that they need not be recovered. */
  readonly signedBy: Map<string, Address>;
}

/** The selector of `ReentrancyGuardReentrantCall()`. */
export const REENTRANT: Hex = parseHex("0x3ee5aeb5");

/** Carries out a step in block `block`: all of it, or nothing. */
export function apply(model: Model, step: Step, block: bigint): Outcome {
  const before = {
    unspent: new Set(model.unspent),
    fulfilled: new Set(model.fulfilled),
  };
  try {
    const calldataBytes = byteLength(encodeStep(step));
    const event = takeStep(model, step, { block, calldataBytes });
    return { type: "Done", event };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    Object.assign(model, before);
    return { type: "Refused", error: thrown.error };
  }
}
