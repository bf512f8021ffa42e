import type { Digest, IntentId, NodeName, RequestKey } from "./ids.ts";
import type {
  Bundle,
  Endorsement,
  Intent,
  Outline,
  PlacedState,
  SpeculativeView,
  Step,
} from "./transition.ts";

/** Where a transaction is, as its coordinator tells the sender. Hints, never proof. */
export type Stage =
  | "pooled"
  | "assembling"
  | "endorsing"
  | "confirming"
  | "prepared"
  | "dispatched"
  | "sequenced"
  | "submitted"
  | "confirmed"
  | "reverted";

/** States of a coordinator that its heartbeats may claim. */
export type CoordinatorClaim =
  "Elect" | "Prepared" | "Active" | "Flush" | "Closing";

/** Why a delegation was not taken. */
export type DelegationRefusal =
  | "not-coordinator"
  | "coordinator-behind"
  | "sender-behind"
  | "busy"
  /** The intent ids belong to another node. */
  | "not-owner";

/** Why a permission was not given. */
export type DenialReason =
  "not-delegate" | "unknown" | "settled" | "changed" | "prepare-only";

/** Why a step cannot be endorsed. */
export interface StepFault {
  readonly intentId: IntentId;
  readonly detail: string;
}

/** All that nodes say to each other. Who said it comes from the authenticated envelope, never from here. */
export type Message =
  | {
      readonly type: "DelegationRequest";
      readonly key: RequestKey;
      readonly height: number;
      readonly intents: readonly Intent[];
    }
  | {
      readonly type: "DelegationAccepted";
      readonly key: RequestKey;
      readonly ids: readonly IntentId[];
      readonly height: number;
    }
  | {
      readonly type: "DelegationRejected";
      readonly key: RequestKey;
      readonly ids: readonly IntentId[];
      readonly height: number;
      readonly reason: DelegationRefusal;
      /** The node that the rejecting one sees coordinating. */
      readonly active: NodeName | undefined;
    }
  | {
      readonly type: "DelegationReturned";
      readonly ids: readonly IntentId[];
      readonly height: number;
    }
  | {
      readonly type: "AssembleRequest";
      readonly key: RequestKey;
      /** In this order, each on top of the ones before. */
      readonly ids: readonly IntentId[];
      readonly height: number;
      readonly view: SpeculativeView;
    }
  | {
      readonly type: "AssembleResponse";
      readonly key: RequestKey;
      readonly outcomes: readonly AssembleOutcome[];
    }
  | {
      readonly type: "EndorsementRequest";
      readonly key: RequestKey;
      readonly coordinator: NodeName;
      readonly height: number;
      readonly bundle: Bundle;
      /** Contents of the inputs and reads that bundles in flight create. */
      readonly view: SpeculativeView;
    }
  | {
      readonly type: "Endorsement";
      readonly key: RequestKey;
      readonly digest: Digest;
      readonly signature: string;
    }
  | {
      readonly type: "Refusal";
      readonly key: RequestKey;
      readonly digest: Digest;
      readonly height: number;
      /** With "busy" the endorser has too much of the asker's to check, and may be asked again. */
      readonly reason: "not-coordinator" | "busy" | "invalid";
      readonly detail: string;
      /** All steps at fault. None if the bundle as a whole is. */
      readonly faults: readonly StepFault[];
    }
  | {
      readonly type: "DispatchPermissionRequest";
      readonly key: RequestKey;
      /** The receiver's intents in it. Of the others he learns nothing that the ledger will not tell everybody. */
      readonly ids: readonly IntentId[];
      readonly bundle: Outline;
    }
  | {
      readonly type: "DispatchPermission";
      readonly key: RequestKey;
      readonly digest: Digest;
      readonly ids: readonly IntentId[];
    }
  | {
      readonly type: "DispatchDenial";
      readonly key: RequestKey;
      readonly digest: Digest;
      readonly denied: readonly {
        readonly id: IntentId;
        readonly reason: DenialReason;
      }[];
    }
  | {
      readonly type: "Dispatched";
      readonly digest: Digest;
      readonly ids: readonly IntentId[];
    }
  | {
      readonly type: "DispatchedAck";
      readonly digest: Digest;
      readonly ids: readonly IntentId[];
    }
  /** What was only to be prepared, for its user: a bundle of one, with its endorsements. */
  | {
      readonly type: "TransactionPrepared";
      readonly key: RequestKey;
      readonly bundle: Bundle;
      readonly endorsements: readonly Endorsement[];
    }
  /** The sender has it, or wants it no more. */
  | {
      readonly type: "TransactionPreparedAck";
      readonly key: RequestKey;
      readonly digest: Digest;
    }
  /** A dispatched bundle failed. A hint: the sender's own view of the ledger decides. */
  | {
      readonly type: "TransactionReverted";
      readonly digest: Digest;
      readonly ids: readonly IntentId[];
      readonly reason: string;
    }
  /** Endorsers refuse, again and again, what the sender assembled for that request. */
  | {
      readonly type: "TransactionRefused";
      readonly key: RequestKey;
      readonly id: IntentId;
      readonly reason: string;
    }
  /** Whether intents of others, on which somebody here depends, have ended without the ledger. */
  | { readonly type: "DependencyQuery"; readonly ids: readonly IntentId[] }
  /** Those that were this node's own, and have. */
  | { readonly type: "DependencyFailed"; readonly ids: readonly IntentId[] }
  /** The ledger has an intent of the asker in a bundle that it has not seen. Which step was that? */
  | {
      readonly type: "FulfilmentQuery";
      readonly id: IntentId;
      readonly digest: Digest;
    }
  /** The step, and the outline of its bundle, which shows that the step is in it. */
  | {
      readonly type: "FulfilmentProof";
      readonly bundle: Outline;
      readonly step: Step;
    }
  | {
      readonly type: "Heartbeat";
      readonly state: CoordinatorClaim;
      /** Grows with every start of the node: a new number means that what was not dispatched is forgotten. */
      readonly boot: number;
      /** Grows with every heartbeat since then: one that comes late says nothing about now. */
      readonly beat: number;
      readonly height: number;
      /** The receiver's transactions. */
      readonly transactions: readonly {
        readonly id: IntentId;
        readonly stage: Stage;
      }[];
      readonly isComplete: boolean;
    }
  /** A coordinator is heard and makes no progress with the intents of the one that says so. */
  | {
      readonly type: "Suspicion";
      readonly key: RequestKey;
      readonly of: NodeName;
    }
  /** The sender does not coordinate for now, as it is about to be stopped; or it does again. */
  | { readonly type: "Leaving"; readonly isOver: boolean }
  | { readonly type: "HandoverRequest"; readonly height: number }
  | {
      readonly type: "Handover";
      readonly key: RequestKey;
      /** The old coordinator's, when it handed over. */
      readonly height: number;
      /** What dispatched transitions will have done. */
      readonly context: SpeculativeView;
      /** Where the ledger will keep what they create. */
      readonly places: readonly PlacedState[];
      /** Intents whose confirmation, all of them, is the flush point. */
      readonly flush: readonly IntentId[];
      /** The bundles that the context comes from: if an intent happens in another one, it is false. */
      readonly digests: readonly Digest[];
      /** The last block in which they can be confirmed. */
      readonly flushUntil: number;
    }
  | { readonly type: "HandoverAck"; readonly key: RequestKey };

/** What came of the assembly of one intent. */
export type AssembleOutcome =
  | { readonly type: "assembled"; readonly id: IntentId; readonly step: Step }
  | {
      readonly type: "reverted" | "parked" | "error";
      readonly id: IntentId;
      readonly reason: string;
    }
  /** It reverts on top of what the coordinator says is in flight, and not on the ledger alone. */
  | {
      readonly type: "postponed";
      readonly id: IntentId;
      readonly reason: string;
    }
  /** The sender does not have this intent, has settled it, or delegated it to somebody else. */
  | { readonly type: "unknown"; readonly id: IntentId };

/** The message of one type. */
export type MessageOf<Type extends Message["type"]> = Extract<
  Message,
  { readonly type: Type }
>;
