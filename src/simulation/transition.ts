import type { IntentId, NodeName, StateId } from "../protocol/ids.ts";
import type { Bundle, Endorsement, State } from "../protocol/transition.ts";
import { hashing, isSigned } from "./hashing.ts";

/** What a bundle does to the ledger: states that it creates and spends inside itself never appear. */
export interface NetTransition {
  readonly intents: readonly IntentId[];
  readonly inputs: readonly StateId[];
  readonly reads: readonly StateId[];
  readonly outputs: readonly State[];
}

/** The net effect of the steps, or undefined if a state is spent twice among them. */
export function netOf({ steps }: Bundle): NetTransition | undefined {
  const created = new Map<StateId, State>();
  const everCreated = new Set<StateId>();
  const inputs = new Set<StateId>();
  const reads = new Set<StateId>();
  for (const step of steps) {
    for (const id of step.reads) if (!everCreated.has(id)) reads.add(id);
    for (const id of step.inputs) {
      if (created.delete(id)) continue;
      if (everCreated.has(id) || inputs.has(id)) return undefined;
      inputs.add(id);
    }
    for (const state of step.outputs) {
      created.set(state.id, state);
      everCreated.add(state.id);
    }
  }
  return {
    intents: steps.map(({ intentId }) => intentId),
    inputs: [...inputs],
    reads: [...reads],
    outputs: [...created.values()],
  };
}

/** Why the contract refuses; names as in `contracts/interfaces/IPrivacyGroup.sol`. */
export type LedgerRefusal =
  | "Expired"
  | "InvalidEndorsement"
  | "ThresholdNotReached"
  | "NoIntent"
  | "IntentFulfilled"
  | "StateNotAvailable"
  | "InputsNotAscending";

/** What the contract stores. */
export interface LedgerState {
  readonly unspent: Set<StateId>;
  readonly fulfilled: Map<IntentId, number>;
}

/** The committee that the contract knows. */
export interface Group {
  readonly committee: readonly NodeName[];
  readonly threshold: number;
}

/**
 * Does what the contract does with a transition in block `block`: all of it, or nothing and a refusal. The order of the
 * checks is the contract's.
 */
export function execute(
  ledger: LedgerState,
  group: Group,
  call: {
    readonly bundle: Bundle;
    readonly endorsements: readonly Endorsement[];
    readonly block: number;
  },
): NetTransition | LedgerRefusal {
  const { bundle, endorsements, block } = call;
  if (bundle.validUntil !== 0 && block > bundle.validUntil) return "Expired";
  const digest = hashing.bundleDigest(bundle.steps, bundle.validUntil);
  const signers = new Set<NodeName>();
  for (const { endorser, signature } of endorsements) {
    const isMember = group.committee.includes(endorser);
    if (!isMember || !isSigned(signature, endorser, digest))
      return "InvalidEndorsement";
    // The contract takes signers as a bitmap: one that stands twice counts once.
    signers.add(endorser);
  }
  if (signers.size < group.threshold) return "ThresholdNotReached";
  const net = netOf(bundle);
  if (net === undefined) return "InputsNotAscending";
  for (const id of net.reads)
    if (!ledger.unspent.has(id)) return "StateNotAvailable";
  if (net.intents.length === 0) return "NoIntent";
  if (new Set(net.intents).size !== net.intents.length)
    return "IntentFulfilled";
  for (const id of net.intents)
    if (ledger.fulfilled.has(id)) return "IntentFulfilled";
  for (const id of net.inputs)
    if (!ledger.unspent.has(id)) return "StateNotAvailable";
  for (const id of net.intents) ledger.fulfilled.set(id, block);
  for (const id of net.inputs) ledger.unspent.delete(id);
  for (const { id } of net.outputs) ledger.unspent.add(id);
  return net;
}

/** Takes back an executed transition. */
export function undo(ledger: LedgerState, net: NetTransition): void {
  for (const { id } of net.outputs) ledger.unspent.delete(id);
  for (const id of net.inputs) ledger.unspent.add(id);
  for (const id of net.intents) ledger.fulfilled.delete(id);
}
