import type { IntentId, NodeName, RequestKey } from "../../ids.ts";
import type { Intent, Step } from "../../transition.ts";

/** States of a transaction, as its coordinator sees it. */
export type CoordinatorTransactionState =
  | "Initial"
  | "Pooled"
  | "PreAssembly_Blocked"
  | "Assembling"
  | "Reverted"
  | "Endorsement_Gathering"
  | "Blocked"
  | "Confirming_Dispatch"
  | "Prepared"
  | "Ready_For_Dispatch"
  | "Dispatched"
  | "Sequenced"
  | "Submitted"
  | "Confirmed"
  | "Final";

/** What happens to it. */
export type CoordinatorTransactionEvent =
  | { readonly type: "Received" }
  | { readonly type: "AssembleRequestSent"; readonly key: RequestKey }
  | { readonly type: "Assemble_Success"; readonly step: Step }
  | { readonly type: "Assemble_Revert_Response" }
  /** The sender parked or postponed it, has settled it, or gave it to somebody else. */
  | { readonly type: "Withdrawn" }
  | { readonly type: "Assemble_Error" }
  /** The bundle it is in has enough endorsements. */
  | { readonly type: "Endorsed" }
  /** The bundle it is in cannot get enough endorsements, because of this step. */
  | { readonly type: "EndorsedRejected"; readonly detail: string }
  /** The bundle it was in fell apart; the step itself is still good. */
  | { readonly type: "Unbundled" }
  | { readonly type: "DependencyReady" }
  | { readonly type: "DependencyAssembled" }
  /** What it is built on fell. */
  | { readonly type: "DependencyReverted" }
  | { readonly type: "DispatchConfirmed" }
  | { readonly type: "DispatchConfirmationRejected" }
  /** It was only to be prepared, and the sender has it. */
  | { readonly type: "Taken" }
  | { readonly type: "Collected" }
  | { readonly type: "NonceAllocated" }
  | { readonly type: "Submitted" }
  | { readonly type: "Confirmed" }
  | { readonly type: "ConfirmedReverted" }
  /** A reorganisation took the block back in which the ledger had it. */
  | { readonly type: "FulfilmentUndone" }
  /** A heartbeat has told its sender how it ended. */
  | { readonly type: "EndReported" };

/** A transaction, as its coordinator sees it. */
export interface CoordinatorTransaction {
  state: CoordinatorTransactionState;
  readonly id: IntentId;
  readonly sender: NodeName;
  readonly intent: Intent;
  /** Order of arrival: first assembly follows it for each sender. */
  readonly order: number;
  /** The last request for its assembly. */
  request: RequestKey | undefined;
  step: Step | undefined;
  /** In-flight transactions whose outputs it uses, and those that use its outputs. Most wait in a pool and have none. */
  builtOn: Set<IntentId> | undefined;
  usedBy: Set<IntentId> | undefined;
  /** Dependencies that are not assembled: it is assembled after them. */
  readonly waitsFor: Set<IntentId>;
  /** Dependencies that are not confirmed: it is dispatched after that, or together with them. */
  follows: Set<IntentId> | undefined;
  failures: number;
  /** Steps that a bundle may have with it: fewer after one was refused and nobody knew why. */
  companyMax: number;
  /** Not assembled again before this tick. */
  notBefore: number;
}
