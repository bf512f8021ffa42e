import type { Mode } from "../protocol/config.ts";
import type { IntentId, NodeName, StateId } from "../protocol/ids.ts";

/** Plain data, as JSON has it. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json };

/** One entry of a JSON ABI. */
export type AbiEntry = Readonly<Record<string, unknown>>;

/** A state as a domain sees it. */
export interface DomainState {
  readonly id: StateId;
  readonly schema: string;
  /** By what it is found: for a coin, its owner. */
  readonly label: string;
  readonly data: Json;
}

/** A state to be. Its id comes from its content, a salt, and the step that creates it. */
export type NewState = Omit<DomainState, "id">;

/** A state of an intent that is over, as far as this node has its content. */
export type SeenState = Pick<DomainState, "schema" | "data"> & {
  readonly id: string;
};

/**
 * The states that can be spent: those of the ledger, and those in flight, without what is in flight to be spent. A state may be
 * missing that the ledger has and whose content this node does not: the absence of a state proves nothing.
 */
export interface StateView {
  readonly get: (id: StateId) => DomainState | undefined;
  /** Oldest first; those in flight last. */
  readonly find: (schema: string, label: string) => Iterable<DomainState>;
}

/** A call to a public contract, which the ledger makes after a transition. */
export interface PublicCall {
  readonly target: string;
  /** Selector and arguments. */
  readonly data: string;
  /**
   * The gas that the target gets at least, whoever submits: what it needs when everything succeeds. Nodes give no more, and all
   * calls of a step together may ask for 6,000,000.
   */
  readonly gasMin: number;
}

/** A group, as a domain knows it. */
export interface DomainGroup {
  readonly address: string;
  /** All nodes that take part: they may send intents. */
  readonly members: readonly NodeName[];
  /** Members whose endorsements count. They see everything that happens in the group. */
  readonly endorsers: readonly NodeName[];
  /** What the creator of the group chose; the domain reads it. */
  readonly configuration: Readonly<Record<string, string>>;
}

/** What a user asks of a domain, with arguments as the ABI names them. */
export interface DomainCall {
  readonly group: DomainGroup;
  /** The node of the user. */
  readonly node: NodeName;
  /** Who asks, on that node. */
  readonly from: string;
  /** As in `transfer(string,uint256)`. */
  readonly signature: string;
  /** Integers as decimal text, bytes and addresses as lower-case hexadecimal digits, tuples as objects. */
  readonly args: Readonly<Record<string, Json>>;
}

/** An intent that came from {@link Domain.check}. */
export interface DomainIntent {
  readonly group: DomainGroup;
  readonly id: IntentId;
  readonly sender: NodeName;
  readonly payload: string;
}

/** What an intent comes to. */
export type Assembly =
  | {
      readonly type: "assembled";
      readonly inputs: readonly StateId[];
      readonly reads: readonly StateId[];
      readonly outputs: readonly NewState[];
      /** What is to be known of it besides: bound by the endorsements, never on the ledger, kept for the receipt. */
      readonly infos?: readonly NewState[];
      /** To be made after it, in this order, if the group allows calls. */
      readonly calls?: readonly PublicCall[];
    }
  /** It can never be done, or not yet. */
  | { readonly type: "reverted" | "parked"; readonly reason: string };

/** Somebody's step, to be checked. */
export interface DomainStep {
  readonly group: DomainGroup;
  readonly intentId: IntentId;
  readonly sender: NodeName;
  /** What its sender was asked for. */
  readonly payload: string;
  readonly inputs: readonly DomainState[];
  readonly reads: readonly DomainState[];
  readonly outputs: readonly DomainState[];
  readonly infos: readonly DomainState[];
  readonly calls: readonly PublicCall[];
}

/** What the creator of a group says about it. */
export type GroupPlan = Pick<DomainGroup, "members" | "configuration">;

/** What intents of one kind mean. Methods may be asynchronous, and must answer. */
export interface Domain {
  /** As users write it. */
  readonly name: string;
  readonly mode: Mode;
  /** What users can call: functions that become intents, and views that {@link Domain.query} answers. */
  readonly abi: readonly AbiEntry[];
  /** Throws a {@link DomainRefusal} for a group that makes no sense. */
  readonly checkGroup: (group: GroupPlan) => void;
  /** The members whose endorsements count; all, if a domain does not say. Asked only for a group that was checked. */
  readonly endorsersOf?: (group: GroupPlan) => readonly NodeName[];
  /** Whether steps may make public calls; if a domain does not say, they may not. */
  readonly allowsCalls?: (group: GroupPlan) => boolean;
  /**
   * The payload of the intent with which a group begins, for domains that need first states of which there are not two. Its
   * id is that of `genesisIdOf`. The creator of the group sends it; whatever else is sent waits for it.
   */
  readonly genesis?: (group: DomainGroup) => string;
  /** Reads what a user asks. Throws a {@link DomainRefusal} for what can never be done. */
  readonly check: (call: DomainCall) => {
    readonly payload: string;
    /** See `Intent.touches` of the protocol. */
    readonly touches: readonly string[] | undefined;
  };
  /**
   * What reverts is asked for once more, on the ledger alone: if it does not revert there, or while contents of states are
   * missing, it is tried again later.
   */
  readonly assemble: (
    intent: DomainIntent,
    view: StateView,
  ) => Assembly | Promise<Assembly>;
  /** Why the step is wrong; undefined if it is right. Every input is in the view. */
  readonly endorse: (
    step: DomainStep,
  ) => string | undefined | Promise<string | undefined>;
  /** Answers a view of the ABI with its outputs by name. Throws a {@link DomainRefusal} for nonsense. */
  readonly query: (
    call: DomainCall,
    view: StateView,
  ) => Readonly<Record<string, Json>> | Promise<Readonly<Record<string, Json>>>;
  /** What an intent did, in the domain's own words, for the receipt. A domain without this has nothing to add to the states. */
  readonly receipt?: (
    group: DomainGroup,
    effect: {
      readonly spent: readonly SeenState[];
      readonly read: readonly SeenState[];
      readonly confirmed: readonly SeenState[];
      readonly infos: readonly SeenState[];
    },
  ) => Json;
  /** Whether a member that does not endorse may see a state. */
  readonly isEntitled: (
    group: DomainGroup,
    state: DomainState,
    node: NodeName,
  ) => boolean;
  /** Whether an intent may succeed when it is tried again after the ledger refused its bundle. */
  readonly isRetryable: (reason: string) => boolean;
}

/** A user asked for what the domain cannot do. The message says what is wrong, with the value. */
export class DomainRefusal extends Error {
  override readonly name = "DomainRefusal";
}
