import type { Digest, IntentId, NodeName, RequestKey } from "../../ids.ts";
import type { AssembleOutcome } from "../../messages.ts";
import type { Fulfilment, Permission, Prepared } from "../../records.ts";
import type { Intent, Outline, Step } from "../../transition.ts";

/** States of a transaction, as its sender sees it. */
export type SenderTransactionState =
  | "Initial"
  | "Pending"
  | "Delegated"
  | "Assembling"
  | "EndorsementGathering"
  | "Prepared"
  | "Dispatched"
  | "Sequenced"
  | "Submitted"
  | "Unproven"
  | "Confirmed"
  | "Reverted"
  | "Parked"
  | "PreparedForUser"
  | "Lapsed";

/** What happens to it. */
export type SenderTransactionEvent =
  | { readonly type: "Created" }
  | { readonly type: "Delegated"; readonly to: NodeName }
  | { readonly type: "AssembleRequestReceived"; readonly key: RequestKey }
  | {
      readonly type: "AssembleAndSignSuccess";
      readonly step: Step;
      readonly key: RequestKey;
    }
  | { readonly type: "AssembleRevert"; readonly reason: string }
  | { readonly type: "AssemblePark"; readonly reason: string }
  | { readonly type: "AssembleError"; readonly reason: string }
  /** The domain was not asked, or too early for its errors to count. */
  | { readonly type: "AssembleDeferred" }
  | { readonly type: "AssemblePostpone"; readonly reason: string }
  | {
      readonly type: "DispatchConfirmationRequestReceived";
      readonly from: NodeName;
      readonly bundle: Outline;
    }
  | { readonly type: "Dispatched" }
  | { readonly type: "NonceAssigned" }
  | { readonly type: "Submitted" }
  | { readonly type: "CoordinatorChanged" }
  /** The coordinator no longer has it: returned, forgotten, silent. */
  | { readonly type: "Released" }
  | { readonly type: "ConfirmedSuccess"; readonly block: number }
  /** The ledger has it, in a bundle that this node has not seen. */
  | { readonly type: "FulfilledUnseen"; readonly fulfilment: Fulfilment }
  /** The ledger has its id, and not its step: enough members signed what another node did in its name. */
  | { readonly type: "FulfilledByOther"; readonly reason: string }
  /** A reorganisation took the block back in which the ledger had it. */
  | { readonly type: "FulfilmentUndone" }
  | {
      readonly type: "ConfirmedReverted";
      readonly reason: string;
    }
  /** Endorsers do not sign what it was assembled to. */
  | { readonly type: "EndorsementRefused"; readonly reason: string }
  /** It was only to be prepared: this is for its user. */
  | { readonly type: "PreparedReceived"; readonly prepared: Prepared }
  /** No permission for it is live any more, or what its user got can no longer be executed. */
  | { readonly type: "PermissionExpired" }
  /** An intent that it depends on ended as reverted. */
  | { readonly type: "DependencyReverted"; readonly reason: string }
  /** An intent of another node that it depends on failed, as that one says. */
  | { readonly type: "DependencyDoubted"; readonly reason: string }
  /** This node is no longer a member of the group. */
  | { readonly type: "MembershipLost"; readonly reason: string }
  | { readonly type: "Resumed" };

/** A transaction, as its sender sees it. */
export interface SenderTransaction {
  state: SenderTransactionState;
  readonly id: IntentId;
  readonly intent: Intent;
  readonly sequence: number;
  /** To whom it was sent; undefined while it waits to be sent. */
  sentTo: NodeName | undefined;
  /** That node said that it has it. */
  isAccepted: boolean;
  /** What was assembled last, for the coordinator it was sent to. */
  step: Step | undefined;
  /** The request that it was assembled for. */
  request: RequestKey | undefined;
  permission: Permission | undefined;
  permitted: readonly Digest[];
  liveUntil: number;
  fulfilment: Fulfilment | undefined;
  isDispatched: boolean;
  retries: number;
  /** Who coordinated it when it failed last, and how often in a row. */
  failedAt:
    { readonly coordinator: NodeName; readonly count: number } | undefined;
  reason: string | undefined;
  isDoomed: boolean;
  /** After a failure: the tick before which it is not delegated again. */
  retryTick: number;
  /** How often it was postponed. */
  postponements: number;
  parked: string | undefined;
  /** What its user got, who asked for a preparation. */
  prepared: Prepared | undefined;
  /** Dependencies that are not confirmed. */
  readonly waitsFor: Set<IntentId>;
}

/** What an assembly means for the transaction. */
export function eventOf(
  outcome: AssembleOutcome,
  {
    key,
    isCounted,
  }: {
    readonly key: RequestKey;
    /** An error costs retries. */
    readonly isCounted: boolean;
  },
): SenderTransactionEvent | undefined {
  switch (outcome.type) {
    case "assembled":
      return { type: "AssembleAndSignSuccess", step: outcome.step, key };
    case "reverted":
      return { type: "AssembleRevert", reason: outcome.reason };
    case "parked":
      return { type: "AssemblePark", reason: outcome.reason };
    case "error":
      return isCounted
        ? { type: "AssembleError", reason: outcome.reason }
        : { type: "AssembleDeferred" };
    case "postponed":
      return { type: "AssemblePostpone", reason: outcome.reason };
    case "unknown":
      return undefined;
  }
}

/** A transaction that has just arrived. */
export function createTransaction(
  intent: Intent,
  sequence: number,
): SenderTransaction {
  return {
    state: "Initial",
    id: intent.id,
    intent,
    sequence,
    sentTo: undefined,
    isAccepted: false,
    step: undefined,
    request: undefined,
    permission: undefined,
    permitted: [],
    liveUntil: 0,
    fulfilment: undefined,
    isDispatched: false,
    retries: 0,
    failedAt: undefined,
    reason: undefined,
    isDoomed: false,
    retryTick: 0,
    postponements: 0,
    parked: undefined,
    prepared: undefined,
    waitsFor: new Set(),
  };
}
