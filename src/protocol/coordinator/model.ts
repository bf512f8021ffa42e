import type { CoordinatorFact } from "../facts.ts";
import type { Heap } from "../heap.ts";
import type {
  Digest,
  IntentId,
  NodeName,
  Place,
  RequestKey,
  StateId,
} from "../ids.ts";
import { limits } from "../limits.ts";
import type { CoordinatorClaim, MessageOf } from "../messages.ts";
import { createRecent, type Recent } from "../recent.ts";
import type { DispatchRecord, HandoverRecord } from "../records.ts";
import type {
  Bundle,
  Endorsement,
  SpeculativeView,
  State,
} from "../transition.ts";
import type { CoordinatorTransaction } from "./transaction/model.ts";

/** States of a coordinator. */
export type CoordinatorState =
  | "Idle"
  | "Observing"
  | "Elect"
  | "Standby"
  | "Prepared"
  | "Active"
  | "Flush"
  | "Closing";

/** What happens to it. */
export type CoordinatorEvent =
  | {
      readonly type: "TransactionsDelegated";
      readonly from: NodeName;
      readonly request: MessageOf<"DelegationRequest">;
    }
  /** All that a node had here, and that is not dispatched, went back to it. */
  | { readonly type: "WorkReturned" }
  | {
      readonly type: "HeartbeatReceived";
      readonly from: NodeName;
      readonly heartbeat: MessageOf<"Heartbeat">;
    }
  | { readonly type: "HeartbeatInterval" }
  /** This node is drained, and another tick has passed. */
  | { readonly type: "RoleUnwanted" }
  | { readonly type: "NewBlock" }
  | {
      readonly type: "HandoverRequestReceived";
      readonly from: NodeName;
      readonly height: number;
    }
  | {
      readonly type: "HandoverReceived";
      readonly from: NodeName;
      readonly handover: MessageOf<"Handover">;
    }
  /** The node whose handover was awaited has not been heard for too long. */
  | { readonly type: "PredecessorSilent" }
  | CoordinatorFact;

/** An assembly that a sender was asked for. */
export interface AssemblyWork {
  readonly request: MessageOf<"AssembleRequest">;
  readonly to: NodeName;
  readonly touches: readonly string[] | undefined;
  /** States of its view that fell meanwhile: what is built on them cannot be taken. */
  readonly missing: Set<StateId>;
  tries: number;
  dueTick: number;
  readonly deadlineTick: number;
}

/** What a sender is asked for. */
export type Question = "assembly" | "permission";

/** How often in a row a sender did not answer, for each kind of question: an answer to one is no answer to the other. */
export interface Silence extends Readonly<Record<Question, number>> {
  readonly untilTick: number;
}

/** A bundle on its way to dispatch. */
export interface BundleWork {
  readonly bundle: Bundle;
  /** The intents in it. */
  readonly ids: ReadonlySet<IntentId>;
  readonly key: RequestKey;
  readonly view: SpeculativeView;
  readonly endorsements: Map<NodeName, Endorsement>;
  /** Endorsers that found it wrong, and what they say. */
  readonly refusals: Map<
    NodeName,
    Pick<MessageOf<"Refusal">, "detail" | "faults">
  >;
  /** Senders that have not permitted it yet. */
  readonly unpermitted: Set<NodeName>;
  /** It is only prepared: once endorsed, it goes to its user and never to the ledger. */
  readonly isForUser: boolean;
  isEndorsed: boolean;
  /** Its senders are asked for permission; with `isForUser`, told of it. */
  isAsking: boolean;
  tries: number;
  dueTick: number;
  deadlineTick: number;
}

/** A dispatched bundle whose fate is not known yet. */
export interface DispatchWork {
  record: DispatchRecord;
  readonly open: Set<IntentId>;
  tries: number;
  dueTick: number;
}

/** A handover that is not acknowledged yet. */
export interface HandoverWork {
  readonly record: HandoverRecord;
  tries: number;
  dueTick: number;
}

/** What is known of another coordinator. */
export interface OtherCoordinator {
  readonly node: NodeName;
  readonly claim: CoordinatorClaim;
  readonly tick: number;
}

/** The node as a coordinator of one group. */
export interface Coordinator {
  state: CoordinatorState;
  enteredTick: number;
  /** The range in which it became active. One that stands in for another stays until the next range. */
  activeRange: number;
  readonly transactions: Map<IntentId, CoordinatorTransaction>;
  /** The same, for each sender in order of arrival. */
  readonly bySender: Map<NodeName, Map<IntentId, CoordinatorTransaction>>;
  /** Those that ended since the last heartbeat. */
  over: CoordinatorTransaction[];
  received: number;
  /** Ids that wait for assembly, for each sender in order of arrival. */
  readonly pools: Map<NodeName, Heap<IntentId>>;
  /** Senders in the order in which they are served. */
  readonly turns: NodeName[];
  /** Senders that did not answer, and until which tick they are not asked. */
  readonly silences: Map<NodeName, Silence>;
  /** Senders that spoiled bundles, how often, and until which tick they get bundles of their own. */
  readonly offences: Map<
    NodeName,
    { readonly count: number; readonly untilTick: number }
  >;
  readonly assemblies: Map<RequestKey, AssemblyWork>;
  /** Steps that wait for a bundle, in order of assembly. */
  assembled: Set<IntentId>;
  /** Answers of senders since the last bundle was made. */
  gathered: number;
  bundles: BundleWork[];
  /** Steps that are only to be prepared and wait until all that they build on is on the ledger. */
  readonly toPrepare: Set<IntentId>;
  /** Their bundles, one for each. */
  preparations: BundleWork[];
  readonly dispatched: Map<Digest, DispatchWork>;
  /** The dispatched bundle that an intent is open in. */
  readonly dispatchOf: Map<IntentId, DispatchWork>;
  /** States that in-flight steps create, and nobody in flight has spent. */
  readonly created: Map<
    StateId,
    { readonly state: State; readonly by: IntentId | undefined }
  >;
  /** Characters of their contents. */
  createdLength: number;
  /** States that the predecessor's transitions create, also those that steps in flight here have spent. */
  readonly imported: Map<StateId, State>;
  /** Where the ledger will keep what bundles create, and where it keeps what they created lately. */
  readonly places: Recent<StateId, Place>;
  /** States that in-flight steps spend. */
  readonly spent: Map<StateId, IntentId | undefined>;
  /** Those that follow a transaction in flight, until it is over. */
  readonly dependants: Map<IntentId, Set<IntentId>>;
  other: OtherCoordinator | undefined;
  /** From whom the role is taken over, or to whom it goes. */
  predecessor: NodeName | undefined;
  successor: NodeName | undefined;
  /** Intents that the predecessor dispatched and that must be confirmed before this node dispatches. */
  readonly flush: Set<IntentId>;
  /** Who handed them over. A node that gave way remembers him and them for a while. */
  flushOwner: NodeName | undefined;
  /** The bundles in which they are to happen, as far as this node builds on them. */
  readonly flushDigests: Set<Digest>;
  /** The last block in which they can be. */
  flushUntil: number;
  /** The predecessor's height when he handed over. */
  handoverHeight: number;
  /** When this node began to wait for them. To be told again does not move it. */
  flushTick: number;
  /** For how many ticks this node has waited for each to hand over, since that one last did, however often it gave way meanwhile. */
  readonly waited: Map<NodeName, number>;
  /** Nodes for whose work this one waited in vain, how often in a row, and until which tick it does not wait for them again. */
  readonly waits: Map<
    NodeName,
    { readonly count: number; readonly untilTick: number }
  >;
  readonly handovers: Map<RequestKey, HandoverWork>;
  heartbeatTick: number;
  closingBeats: number;
  /** Intents that ended, to answer late messages. */
  readonly ended: Recent<IntentId, true>;
}

/** A coordinator without work. */
export function createCoordinator(): Coordinator {
  return {
    state: "Idle",
    enteredTick: 0,
    activeRange: 0,
    transactions: new Map(),
    bySender: new Map(),
    over: [],
    received: 0,
    pools: new Map(),
    turns: [],
    silences: new Map(),
    offences: new Map(),
    assemblies: new Map(),
    assembled: new Set(),
    gathered: 0,
    bundles: [],
    toPrepare: new Set(),
    preparations: [],
    dispatched: new Map(),
    dispatchOf: new Map(),
    created: new Map(),
    createdLength: 0,
    imported: new Map(),
    places: createRecent(limits.places),
    spent: new Map(),
    dependants: new Map(),
    other: undefined,
    predecessor: undefined,
    successor: undefined,
    flush: new Set(),
    flushOwner: undefined,
    flushDigests: new Set(),
    flushUntil: 0,
    handoverHeight: 0,
    flushTick: 0,
    waited: new Map(),
    waits: new Map(),
    handovers: new Map(),
    heartbeatTick: 0,
    closingBeats: 0,
    ended: createRecent(limits.ended),
  };
}
