import type { Digest, IntentId, NodeName, RequestKey } from "./ids.ts";
import type { Message } from "./messages.ts";
import type { DispatchRecord, Receipt, SavedRecord } from "./records.ts";
import type {
  Bundle,
  Endorsement,
  Intent,
  SpeculativeView,
} from "./transition.ts";

/**
 * What the protocol wants done. The saves and erasures of a turn are durable, all together, before anything else of that
 * turn is done.
 */
export type Effect =
  | { readonly type: "Save"; readonly record: SavedRecord }
  | { readonly type: "Erase"; readonly key: string }
  | { readonly type: "Send"; readonly to: NodeName; readonly message: Message }
  /** Ask this node's domain to assemble intents in order, each on top of the ones before; answered by `AssemblyDone`. */
  | {
      readonly type: "Assemble";
      readonly key: RequestKey;
      readonly intents: readonly Intent[];
      readonly view: SpeculativeView;
      /** The last block in which the steps can happen. */
      readonly validUntil: number;
    }
  /** Ask this node's domain to check a bundle and sign it; answered by `EndorsementDone`. */
  | {
      readonly type: "Endorse";
      readonly coordinator: NodeName;
      readonly bundle: Bundle;
      readonly view: SpeculativeView;
    }
  /** Show a step of a bundle that this node endorsed to its sender, if the bundle is still on the disk. */
  | {
      readonly type: "ShowStep";
      readonly to: NodeName;
      readonly id: IntentId;
      readonly digest: Digest;
    }
  /** Hand a saved dispatch to the submitter. The same one may come again after a restart. */
  | { readonly type: "Submit"; readonly dispatch: DispatchRecord }
  /** The user is told that the intent is accepted: it is on disk. */
  | { readonly type: "Accepted"; readonly id: IntentId }
  | { readonly type: "Refused"; readonly id: IntentId; readonly reason: string }
  | {
      readonly type: "Settled";
      readonly receipt: Exclude<Receipt, { readonly type: "Prepared" }>;
    }
  /** A prepared intent: the endorsed bundle goes to the user instead of the ledger. The same one may come again after a restart. */
  | {
      readonly type: "PreparedForUser";
      readonly id: IntentId;
      readonly bundle: Bundle;
      readonly endorsements: readonly Endorsement[];
    };
