import type { FailedIntent, SenderFact } from "../facts.ts";
import { createHeap, type Heap } from "../heap.ts";
import type { IntentId, NodeName, RequestKey } from "../ids.ts";
import { limits } from "../limits.ts";
import type { MessageOf } from "../messages.ts";
import { createRecent, type Recent } from "../recent.ts";
import type { SenderTransaction } from "./transaction/model.ts";

/** States of a sender. */
export type SenderState = "Idle" | "Observing" | "Sending";

/** What happens to it. */
export type SenderEvent =
  | {
      readonly type: "HeartbeatReceived";
      readonly from: NodeName;
      readonly heartbeat: MessageOf<"Heartbeat">;
    }
  | { readonly type: "HeartbeatInterval" }
  | { readonly type: "TransactionCreated" }
  /** Intents of this node can never be confirmed. */
  | {
      readonly type: "TransactionsFailed";
      readonly failed: readonly FailedIntent[];
    }
  | SenderFact;

/** A delegation that is not acknowledged yet. One at a time, so that order is kept. */
export interface PendingDelegation {
  readonly key: RequestKey;
  readonly to: NodeName;
  readonly ids: readonly IntentId[];
  /** When it was sent for the first time. */
  readonly sinceTick: number;
  tries: number;
  dueTick: number;
}

/** An assembly that this node's domain is busy with, or that waits for a block. */
export interface PendingAssembly {
  readonly from: NodeName;
  readonly request: MessageOf<"AssembleRequest">;
  /** When it was asked for. Whoever asks gives up in the end, and so does a node that waits for a block. */
  readonly sinceTick: number;
  isStarted: boolean;
}

/** A transaction that waits for nothing but its coordinators. */
export interface FirstInLine {
  readonly id: IntentId;
  /** How far it ever came, since when it has been the first, and since when it has come no further. */
  stage: number;
  readonly sinceTick: number;
  stageTick: number;
  /** The height at that time. */
  height: number;
  /** Somebody said that this node is behind. */
  isBehind: boolean;
  /** For how many ticks each node was its coordinator. */
  readonly ticksWith: Map<NodeName, number>;
}

/** The node as a sender of one group. */
export interface Sender {
  state: SenderState;
  /** Open intents in order of arrival. */
  readonly transactions: Map<IntentId, SenderTransaction>;
  /** How many of them wait for their users: parked, or prepared. */
  resting: number;
  /** Those that are sent to a node, for each node. */
  readonly sent: Map<NodeName, Set<SenderTransaction>>;
  nextSequence: number;
  /** To whom transactions are delegated now. */
  delegate: NodeName | undefined;
  /** When the delegate was last heard, or was chosen. */
  heardTick: number;
  /** A coordinator that was heard lately, whether or not it is the delegate. */
  active: { readonly node: NodeName; readonly tick: number } | undefined;
  /** This node is behind: do not delegate before the own height reaches that range. */
  waitForRange: number | undefined;
  /** The tick after which it tries all the same: whoever said so may have been wrong. */
  waitUntilTick: number;
  /** Ids to be sent, by order of arrival. May hold ids that need no sending any more. */
  readonly outgoing: Heap<IntentId>;
  /** Ids that wait for a tick before they go out again. */
  readonly delayed: Heap<IntentId>;
  /** Those of them that do not wait any longer when the ledger moves on. */
  readonly postponed: Set<SenderTransaction>;
  delegation: PendingDelegation | undefined;
  /** The tick before which nothing is delegated, after a refusal. */
  pausedUntil: number;
  refusals: number;
  /** The oldest transaction that only a coordinator can help, and how it is going. */
  first: FirstInLine | undefined;
  assembly: PendingAssembly | undefined;
  /** The last answer, to give it again to whoever asked for it. Others may not see what is in it. */
  answered:
    | {
        readonly to: NodeName;
        readonly key: RequestKey;
        readonly response: MessageOf<"AssembleResponse">;
      }
    | undefined;
  /** Requests for permission that wait until this node sees what its transactions depend on. */
  readonly undecided: {
    readonly from: NodeName;
    readonly request: MessageOf<"DispatchPermissionRequest">;
  }[];
  /** Ids by the last block in which a permission may be used. */
  readonly expiries: Heap<IntentId>;
  /** No step that this node signed is valid after this block: on the disk before any is signed. */
  signedUntil: number;
  /** Intents that the ledger has in bundles that this node has not seen, and when it asks for them again. */
  readonly unproven: Map<IntentId, { tries: number; dueTick: number }>;
  /** Who waits for an intent. */
  readonly dependants: Map<IntentId, IntentId[]>;
  /** How often the others were asked what became of those, since somebody began to wait, and when they are asked again. */
  inquiries: number;
  inquiryTick: number;
  /** Transactions that are, or were, parked because somebody said that what they depend on failed, and until when. */
  readonly doubts: Map<
    IntentId,
    { readonly count: number; readonly untilTick: number }
  >;
  /** Own intents that can never be confirmed, to answer such questions. */
  readonly failed: Recent<IntentId, true>;
}

/** A sender that has nothing to send. */
export function createSender(): Sender {
  return {
    state: "Idle",
    transactions: new Map(),
    resting: 0,
    sent: new Map(),
    nextSequence: 0,
    delegate: undefined,
    heardTick: 0,
    active: undefined,
    waitForRange: undefined,
    waitUntilTick: 0,
    outgoing: createHeap(),
    delayed: createHeap(),
    postponed: new Set(),
    delegation: undefined,
    pausedUntil: 0,
    refusals: 0,
    first: undefined,
    assembly: undefined,
    answered: undefined,
    undecided: [],
    expiries: createHeap(),
    signedUntil: 0,
    unproven: new Map(),
    dependants: new Map(),
    inquiries: 0,
    inquiryTick: 0,
    doubts: new Map(),
    failed: createRecent(limits.ended),
  };
}
