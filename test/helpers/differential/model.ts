import {
  type Address,
  CALLDATA_BYTES_MAX,
  type Committee,
  approvalDigest,
  byteLength,
  committeeChangeDigest,
  type Hex,
  hashTransition,
  type IntentId,
  type LedgerDomain,
  type LedgerError,
  type LedgerEvent,
  outputStateIds,
  parseHex,
  registerOf,
  type StateId,
  type Transition,
  type TransitionHash,
  transitionDigest,
} from "../../../src/ledger/index.ts";
import {
  Refusal,
  refuse,
  requireCommittee,
  requireCurrent,
  requireEndorsed,
} from "./checks.ts";
import { encodeStep, type Step } from "./step.ts";

// A plain model of the contract: sets and loops, no bits, no registers, no storage layout, no thought about gas.

export type ModelEvent =
  | (Extract<LedgerEvent, { readonly type: "Transitioned" }> & {
      readonly intents: readonly IntentId[];
    })
  | Extract<
      LedgerEvent,
      { readonly type: "TransitionApproved" | "CommitteeChanged" }
    >;

export type Outcome =
  | { readonly type: "Done"; readonly event: ModelEvent }
  | { readonly type: "Refused"; readonly error: LedgerError };

/** What is known about a group. */
export interface Model {
  readonly domain: LedgerDomain;
  readonly externalCalls: boolean;
  /** What a call to another contract fails with; nothing if it succeeds. */
  readonly failureOf: (
    target: Address,
    data: Hex,
  ) => Hex | "no code" | undefined;
  epoch: bigint;
  committee: Committee;
  unspent: Set<StateId>;
  fulfilled: Set<IntentId>;
  approvals: Set<string>;
  /** Digests whose signatures are known to be good, so that they need not be recovered. */
  readonly signedBy: Map<string, Address>;
}

/** The selector of `ReentrancyGuardReentrantCall()`. */
export const REENTRANT: Hex = parseHex("0x3ee5aeb5");

export const approvalKey = (hash: TransitionHash, delegate: Address): string =>
  `${hash} ${delegate}`;

/** Carries out a step in block `block`: all of it, or nothing. */
export function apply(model: Model, step: Step, block: bigint): Outcome {
  const before = {
    unspent: new Set(model.unspent),
    fulfilled: new Set(model.fulfilled),
  };
  try {
    return { type: "Done", event: run(model, step, block) };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    Object.assign(model, before);
    return { type: "Refused", error: thrown.error };
  }
}

function run(model: Model, step: Step, block: bigint): ModelEvent {
  switch (step.type) {
    case "Execute":
      requireCurrent(model, step.transition, block);
      requireEndorsed(
        model,
        transitionDigest(model.domain, step.transition),
        step.endorsements,
      );
      return transit(model, step);
    case "Approve": {
      requireCurrent(model, step.transition, block);
      const transitionHash = hashTransition(step.transition);
      const { delegate } = step;
      if (model.approvals.has(approvalKey(transitionHash, delegate))) {
        refuse({
          type: "PrivacyGroupAlreadyApproved",
          transitionHash,
          delegate,
        });
      }
      requireEndorsed(
        model,
        approvalDigest(model.domain, step.transition, delegate),
        step.endorsements,
      );
      model.approvals.add(approvalKey(transitionHash, delegate));
      return { type: "TransitionApproved", transitionHash, delegate };
    }
    case "ExecuteApproved": {
      requireCurrent(model, step.transition, block);
      const transitionHash = hashTransition(step.transition);
      if (!model.approvals.has(approvalKey(transitionHash, step.caller))) {
        refuse({
          type: "PrivacyGroupNotApproved",
          transitionHash,
          caller: step.caller,
        });
      }
      return transit(model, step);
    }
    case "ChangeCommittee": {
      const { change } = step;
      // What does not fit its type is refused before anything is looked at.
      if (change.threshold > 255) refuse({ type: "NoReason" });
      requireCurrent(model, change, block);
      requireEndorsed(
        model,
        committeeChangeDigest(model.domain, change),
        step.endorsements,
      );
      requireCommittee(change);
      model.committee = {
        members: change.members,
        threshold: change.threshold,
      };
      model.epoch += 1n;
      return {
        type: "CommitteeChanged",
        epoch: model.epoch as Extract<
          LedgerEvent,
          { readonly type: "CommitteeChanged" }
        >["epoch"],
        members: change.members,
        threshold: change.threshold,
      };
    }
  }
}

function transit(
  model: Model,
  step: Extract<Step, { readonly transition: Transition }>,
): ModelEvent {
  const {
    intents,
    inputs,
    reads,
    outputs: commitments,
    calls,
  } = step.transition;
  const length = byteLength(encodeStep(step));
  if (length > CALLDATA_BYTES_MAX) {
    refuse({
      type: "PrivacyGroupTransitionTooLarge",
      length: BigInt(length),
      lengthMax: BigInt(CALLDATA_BYTES_MAX),
    });
  }
  for (const stateId of reads) {
    if (!model.unspent.has(stateId))
      refuse({ type: "PrivacyGroupStateNotAvailable", stateId });
  }
  if (intents.length === 0) refuse({ type: "PrivacyGroupNoIntent" });
  for (const intentId of intents) {
    if (model.fulfilled.has(intentId))
      refuse({ type: "PrivacyGroupIntentFulfilled", intentId });
    model.fulfilled.add(intentId);
  }
  const orphan = inputs[commitments.length];
  if (orphan !== undefined)
    refuse({ type: "PrivacyGroupInputWithoutSuccessor", stateId: orphan });
  const outputs = outputStateIds(step.transition);
  outputs.forEach((output, i) => {
    const input = inputs[i];
    const previous = inputs[i - 1];
    if (input !== undefined) {
      if (previous !== undefined && registerOf(input) <= registerOf(previous)) {
        refuse({ type: "PrivacyGroupInputsNotAscending", stateId: input });
      }
      if (!model.unspent.delete(input))
        refuse({ type: "PrivacyGroupStateNotAvailable", stateId: input });
    }
    model.unspent.add(output);
  });
  if (calls.length > 0 && !model.externalCalls)
    refuse({ type: "PrivacyGroupExternalCallsDisabled" });
  calls.forEach(({ target, data }, index) => {
    const reason = model.failureOf(target, data);
    if (reason === "no code")
      return refuse({ type: "ExternalCallWithoutCode", target });
    if (reason !== undefined) {
      refuse({
        type: "ExternalCallFailed",
        index: BigInt(index),
        target,
        reason,
        cause: causeOf(reason),
      });
    }
  });
  return {
    type: "Transitioned",
    transitionHash: hashTransition(step.transition),
    intents,
    inputs,
    outputs,
  };
}

/** The only ways in which the calls of these tests fail. */
function causeOf(reason: Hex): LedgerError {
  return reason === REENTRANT
    ? { type: "ReentrancyGuardReentrantCall" }
    : { type: "NoReason" };
}
