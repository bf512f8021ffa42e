import type { Digest, IntentId, NodeName, RequestKey } from "./ids.ts";
import type {
  Bundle,
  Endorsement,
  Intent,
  PlacedState,
  SpeculativeView,
} from "./transition.ts";

/** A permission that a sender gave: to whom, for what, until when. */
export interface Permission {
  readonly coordinator: NodeName;
  readonly digest: Digest;
  readonly validUntil: number;
  /** Counts the permissions for one intent. */
  readonly attempt: number;
}

/** Where the ledger fulfilled an intent. */
export interface Fulfilment {
  readonly digest: Digest;
  readonly block: number;
}

/** How an intent ended. */
export type Receipt =
  | {
      readonly type: "Confirmed";
      readonly id: IntentId;
      readonly block: number;
    }
  | {
      readonly type: "Reverted";
      readonly id: IntentId;
      readonly reason: string;
    }
  /** It was only to be prepared, and is. If somebody executes it, `Confirmed` takes its place. */
  | {
      readonly type: "Prepared";
      readonly id: IntentId;
      readonly digest: Digest;
    };

/** What a user gets who asked for a preparation: all that the ledger needs. */
export interface Prepared {
  readonly bundle: Bundle;
  readonly endorsements: readonly Endorsement[];
}

/** A sender's intent, as it is on disk. */
export interface IntentRecord {
  readonly kind: "intent";
  readonly intent: Intent;
  /** Order of arrival at this node. */
  readonly sequence: number;
  readonly retries: number;
  readonly parked: string | undefined;
  readonly permission: Permission | undefined;
  /** Digests of bundles that were permitted before that one. */
  readonly permitted: readonly Digest[];
  /** The last block in which anything that was signed for this intent may still happen. */
  readonly liveUntil: number;
  /** The ledger has the intent, in a bundle of which this node does not know yet whether it holds its own step. */
  readonly fulfilment: Fulfilment | undefined;
  /** The coordinator said that it dispatched what the permission names. */
  readonly isDispatched: boolean;
  /** The last failure; with `isDoomed` the intent ends with it as soon as no permission is live. */
  readonly reason: string | undefined;
  readonly isDoomed: boolean;
  /** What the user got, if he asked for a preparation. */
  readonly prepared: Prepared | undefined;
  readonly receipt: Receipt | undefined;
}

/** A dispatched bundle, as it is on the coordinator's disk. */
export interface DispatchRecord {
  readonly kind: "dispatch";
  readonly bundle: Bundle;
  readonly endorsements: readonly Endorsement[];
  /** Senders that know. */
  readonly acknowledged: readonly NodeName[];
}

/** A handover on its way, as it is on the old coordinator's disk. */
export interface HandoverRecord {
  readonly kind: "handover";
  readonly key: RequestKey;
  readonly to: NodeName;
  readonly height: number;
  readonly context: SpeculativeView;
  readonly places: readonly PlacedState[];
  readonly flush: readonly IntentId[];
  readonly digests: readonly Digest[];
  readonly flushUntil: number;
}

/**
 * How far ahead this node has signed steps. It is on the disk before a step is signed, so that after a restart no intent ends
 * as reverted while something that was signed for it may still happen.
 */
export interface HorizonRecord {
  readonly kind: "horizon";
  /** No step that this node signed is valid after this block. */
  readonly signedUntil: number;
}

/**
 * A bundle that this node endorsed, as it is on its disk before the signature leaves. If it happens, others may ask this node
 * for what it created. It stays until the bundle can no longer happen, and no reorganisation can change that: whoever keeps
 * records erases it then.
 */
export interface EndorsedRecord {
  readonly kind: "endorsed";
  readonly digest: Digest;
  readonly coordinator: NodeName;
  /** The last block in which it can happen. */
  readonly validUntil: number;
  /** See `lengthOfBundle`. */
  readonly length: number;
  readonly signature: string;
  readonly bundle: Bundle;
}

/** What is durable. */
export type SavedRecord =
  | IntentRecord
  | DispatchRecord
  | HandoverRecord
  | HorizonRecord
  | EndorsedRecord;

/** What a node needs of its records when it starts. Of bundles that it endorsed the content can stay on the disk. */
export type RestoredRecord =
  Exclude<SavedRecord, EndorsedRecord> | Omit<EndorsedRecord, "bundle">;

/** Where a record is kept. */
export function recordKey(
  record:
    | Pick<IntentRecord, "kind" | "intent">
    | Pick<DispatchRecord, "kind" | "bundle">
    | Pick<HandoverRecord, "kind" | "key">
    | Pick<HorizonRecord, "kind">
    | Pick<EndorsedRecord, "kind" | "digest">,
): string {
  switch (record.kind) {
    case "intent":
      return `intent:${record.intent.id}`;
    case "dispatch":
      return `dispatch:${record.bundle.digest}`;
    case "handover":
      return `handover:${record.key}`;
    case "horizon":
      return "horizon";
    case "endorsed":
      return `endorsed:${record.digest}`;
  }
}
