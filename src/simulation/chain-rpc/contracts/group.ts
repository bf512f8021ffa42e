import {
  type Address,
  approvalDigest,
  CALLDATA_BYTES_MAX,
  type Committee,
  committeeChangeDigest,
  decodeLedgerError,
  digestOf,
  hashTransition,
  type Hex,
  type IntentId,
  type LedgerDomain,
  type LedgerEvent,
  outputStateIds,
  parseUint64,
  registerOf,
  type StateId,
  type Transition,
  type TransitionHash,
} from "../../../ledger/index.ts";
import type { Recover } from "../transaction.ts";
import {
  refuse,
  requireCommittee,
  requireCurrent,
  requireEndorsed,
} from "./checks.ts";
import type { Step } from "./step.ts";

// A plain model of the contract `PrivacyGroup`: sets and loops, no bits, no registers, no storage layout, no thought about gas.
// `test/ledger/differential.ts` compares it with the contract.

/** A set of ids. */
export interface IdSet<Id> {
  has(id: Id): boolean;
  add(id: Id): unknown;
  /** Whether it was there. */
  delete(id: Id): boolean;
}

/** What a group is and knows. */
export interface GroupState {
  readonly domain: LedgerDomain;
  readonly externalCalls: boolean;
  /** What a call to another contract fails with; nothing if it succeeds. */
  readonly failureOf: (
    target: Address,
    data: Hex,
  ) => Hex | "no code" | undefined;
  readonly recover: Recover;
  epoch: bigint;
  committee: Committee;
  readonly unspent: IdSet<StateId>;
  readonly fulfilled: IdSet<IntentId>;
  readonly approvals: IdSet<string>;
}

/** What a step did. A transition is one event here, and one log for each intent and one more on the chain. */
export type GroupEvent =
  | (Extract<LedgerEvent, { readonly type: "Transitioned" }> & {
      readonly intents: readonly IntentId[];
    })
  | Extract<
      LedgerEvent,
      { readonly type: "TransitionApproved" | "CommitteeChanged" }
    >;

/** Where a step is carried out. */
export interface StepContext {
  readonly block: bigint;
  /** The size of the call. */
  readonly calldataBytes: number;
}

export const approvalKey = (hash: TransitionHash, delegate: Address): string =>
  `${hash} ${delegate}`;

/** Carries out a step, or throws a `Refusal`. Then the caller undoes what was written so far. */
export function takeStep(
  group: GroupState,
  step: Step,
  context: StepContext,
): GroupEvent {
  const { block } = context;
  switch (step.type) {
    case "Execute": {
      requireCurrent(group, step.transition, block);
      const hash = hashTransition(step.transition);
      requireEndorsed(group, digestOf(group.domain, hash), step.endorsements);
      return transit(group, step.transition, hash, context);
    }
    case "Approve": {
      requireCurrent(group, step.transition, block);
      const transitionHash = hashTransition(step.transition);
      const { delegate } = step;
      if (group.approvals.has(approvalKey(transitionHash, delegate)))
        refuse({
          type: "PrivacyGroupAlreadyApproved",
          transitionHash,
          delegate,
        });
      requireEndorsed(
        group,
        approvalDigest(group.domain, step.transition, delegate),
        step.endorsements,
      );
      group.approvals.add(approvalKey(transitionHash, delegate));
      return { type: "TransitionApproved", transitionHash, delegate };
    }
    case "ExecuteApproved": {
      requireCurrent(group, step.transition, block);
      const transitionHash = hashTransition(step.transition);
      const { caller } = step;
      if (!group.approvals.has(approvalKey(transitionHash, caller)))
        refuse({ type: "PrivacyGroupNotApproved", transitionHash, caller });
      return transit(group, step.transition, transitionHash, context);
    }
    case "ChangeCommittee":
      return changeCommittee(group, step, block);
  }
}

function changeCommittee(
  group: GroupState,
  step: Extract<Step, { readonly type: "ChangeCommittee" }>,
  block: bigint,
): GroupEvent {
  const { change } = step;
  // A threshold that does not fit its type is refused before anything is looked at.
  if (change.threshold > 255) refuse({ type: "NoReason" });
  requireCurrent(group, change, block);
  requireEndorsed(
    group,
    committeeChangeDigest(group.domain, change),
    step.endorsements,
  );
  requireCommittee(change);
  const { members, threshold } = change;
  group.committee = { members, threshold };
  group.epoch += 1n;
  const epoch = parseUint64(group.epoch);
  return { type: "CommitteeChanged", epoch, members, threshold };
}

function transit(
  group: GroupState,
  transition: Transition,
  transitionHash: TransitionHash,
  { calldataBytes }: StepContext,
): GroupEvent {
  const { intents, inputs, reads } = transition;
  if (calldataBytes > CALLDATA_BYTES_MAX)
    refuse({
      type: "PrivacyGroupTransitionTooLarge",
      length: BigInt(calldataBytes),
      lengthMax: BigInt(CALLDATA_BYTES_MAX),
    });
  for (const stateId of reads)
    if (!group.unspent.has(stateId))
      refuse({ type: "PrivacyGroupStateNotAvailable", stateId });
  if (intents.length === 0) refuse({ type: "PrivacyGroupNoIntent" });
  for (const intentId of intents) {
    if (group.fulfilled.has(intentId))
      refuse({ type: "PrivacyGroupIntentFulfilled", intentId });
    group.fulfilled.add(intentId);
  }
  const outputs = move(group, transition);
  callOut(group, transition);
  return { type: "Transitioned", transitionHash, intents, inputs, outputs };
}

/** Spends the inputs and creates the outputs. */
function move(group: GroupState, transition: Transition): readonly StateId[] {
  const { inputs, outputs: commitments } = transition;
  const orphan = inputs[commitments.length];
  if (orphan !== undefined)
    refuse({ type: "PrivacyGroupInputWithoutSuccessor", stateId: orphan });
  const outputs = outputStateIds(transition);
  outputs.forEach((output, i) => {
    const input = inputs[i];
    const previous = inputs[i - 1];
    if (input !== undefined) {
      if (previous !== undefined && registerOf(input) <= registerOf(previous))
        refuse({ type: "PrivacyGroupInputsNotAscending", stateId: input });
      if (!group.unspent.delete(input))
        refuse({ type: "PrivacyGroupStateNotAvailable", stateId: input });
    }
    group.unspent.add(output);
  });
  return outputs;
}

function callOut(group: GroupState, { calls }: Transition): void {
  if (calls.length > 0 && !group.externalCalls)
    refuse({ type: "PrivacyGroupExternalCallsDisabled" });
  calls.forEach(({ target, data }, index) => {
    const reason = group.failureOf(target, data);
    if (reason === "no code")
      return refuse({ type: "ExternalCallWithoutCode", target });
    if (reason !== undefined)
      refuse({
        type: "ExternalCallFailed",
        index: BigInt(index),
        target,
        reason,
        cause: decodeLedgerError(reason),
      });
  });
}
