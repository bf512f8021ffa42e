import type { CommitteeConfig } from "./config.ts";
import type { Digest, IntentId, NodeName, RequestKey } from "./ids.ts";
import type { AssembleOutcome, Message, StepFault } from "./messages.ts";
import type { IntentRecord } from "./records.ts";
import type { Intent } from "./transition.ts";

/** A transition that happened on the ledger. */
export interface LedgerFact {
  readonly intents: readonly IntentId[];
  /** Of the bundle that did it. */
  readonly digest: Digest;
}

/** Why the submitter gave a bundle up. */
export type SubmissionFailure = "reverted" | "expired" | "rejected";

/** All that can happen to one node's sequencer of one group. */
export type Event =
  | {
      readonly type: "IntentSubmitted";
      readonly intent: Intent;
      /** Those of its dependencies that the ledger has already, and those that this node saw end without it. */
      readonly fulfilled: readonly IntentId[];
      readonly reverted: readonly IntentId[];
    }
  | { readonly type: "IntentResumed"; readonly id: IntentId }
  | { readonly type: "Tick" }
  /** The next tick is late, as the node has too much to do. Others are not to think that it is gone. */
  | { readonly type: "Delayed" }
  /** Ticks, and blocks up to `height` in which nothing happened to the group, that it was not told of because it was at rest. */
  | {
      readonly type: "Rested";
      readonly ticks: number;
      readonly height: number;
    }
  | {
      readonly type: "BlockSeen";
      readonly height: number;
      readonly facts: readonly LedgerFact[];
      /** This node's intents that ended as reverted, and that this block fulfils. */
      readonly contradicted?: readonly IntentRecord[] | undefined;
      /** The committee from this block on, if the block changed it. */
      readonly committee?: CommitteeConfig | undefined;
    }
  /** A reorganisation: blocks above `height` never happened. `reopened` are this node's intents that were confirmed there. */
  | {
      readonly type: "BlocksReverted";
      readonly height: number;
      readonly facts: readonly LedgerFact[];
      readonly reopened: readonly IntentRecord[];
      /** The committee as it was then, if one of these blocks changed it. */
      readonly committee?: CommitteeConfig | undefined;
    }
  | {
      readonly type: "MessageReceived";
      readonly from: NodeName;
      readonly message: Message;
    }
  /** The operator of this node wants it to leave the role of the coordinator to others, or no longer. */
  | { readonly type: "DrainChanged"; readonly isDraining: boolean }
  /** More is known of what is on the ledger than before: contents of states that were missing. */
  | { readonly type: "StatesLearnt" }
  | {
      readonly type: "AssemblyDone";
      readonly key: RequestKey;
      readonly outcomes: readonly AssembleOutcome[];
    }
  | {
      readonly type: "EndorsementDone";
      readonly digest: Digest;
      readonly outcome: EndorseOutcome;
    }
  | {
      readonly type: "SubmissionFailed";
      readonly digest: Digest;
      readonly failure: SubmissionFailure;
      readonly reason: string;
      /** Whether the same intents may succeed later. */
      readonly isRetryable: boolean;
    }
  | {
      readonly type: "SubmissionProgressed";
      readonly digest: Digest;
      readonly progress: "nonce" | "submitted";
    };

/** What came of an endorser's check. */
export type EndorseOutcome =
  | { readonly type: "endorsed"; readonly signature: string }
  | {
      readonly type: "refused";
      readonly detail: string;
      /** All steps at fault. None if the bundle as a whole is. */
      readonly faults: readonly StepFault[];
    };
