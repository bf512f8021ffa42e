import type { SequencerConfig } from "../../protocol/config.ts";
import type { EndorseOutcome } from "../../protocol/events.ts";
import type { IntentId, NodeName, StateId } from "../../protocol/ids.ts";
import type { AssembleOutcome } from "../../protocol/messages.ts";
import type {
  Bundle,
  Intent,
  SpeculativeView,
  State,
} from "../../protocol/transition.ts";
import type { Block } from "../chain.ts";
import type { Random } from "../random.ts";
import type { Wish, WorkloadOptions } from "../workload.ts";

/** What one node knows of the ledger. As durable as its view of the chain. */
export interface Book {
  /** Whether there is a state, as far as the node may see it. */
  readonly has: (id: StateId) => boolean;
  readonly isSpent: (id: StateId) => boolean;
  readonly isFulfilled: (id: IntentId) => boolean;
  readonly see: (block: Block) => void;
  /** Takes the last block back. */
  readonly forget: (block: Block) => void;
}

/** What a node wants assembled. */
export interface AssemblyRequest {
  readonly sender: NodeName;
  readonly intents: readonly Intent[];
  readonly view: SpeculativeView;
  /** The last block in which the steps can happen. */
  readonly validUntil: number;
  /** Intents that are not ready yet. */
  readonly parked: ReadonlySet<IntentId>;
  /** Intents that cannot be assembled just now. Nothing is built on them. */
  readonly failing: ReadonlySet<IntentId>;
  /** Whether its sender may cheat. */
  readonly isLying: boolean;
}

/** What comes of it. */
export interface AssemblyAnswer {
  readonly outcomes: AssembleOutcome[];
  /** Intents that revert on the ledger alone, as the sender sees it now, whatever is in flight. */
  readonly hopeless: ReadonlySet<IntentId>;
}

/** What a node is asked to endorse. */
export interface EndorsementRequest {
  readonly endorser: NodeName;
  /** Whether the endorser may sign what is wrong. */
  readonly isLying: boolean;
  readonly bundle: Bundle;
  readonly view: SpeculativeView;
}

/** A domain in one run of the world. Whatever it draws comes from the seed of the run. */
export interface SimulatedDomain {
  /** What it says about its group. The rest stays as it is drawn. */
  readonly rules: Partial<GroupConfig> & Pick<GroupConfig, "mayKnow">;
  /** Whether a state is any business of a member who does not endorse, whatever the domain itself thinks of that. */
  readonly concerns: GroupConfig["mayKnow"];
  /** Members of whom the last one may lie. */
  readonly suspects: readonly NodeName[];
  /** Members who do not endorse, of whom the last one may lie. */
  readonly outsiders?: readonly NodeName[];
  /** What is on the ledger in the beginning, and what users want. Asked once. */
  readonly draw: (options: WorkloadOptions) => {
    readonly genesis: readonly State[];
    readonly wishes: readonly Wish[];
  };
  /** The same one every time. */
  readonly bookOf: (node: NodeName) => Book;
  /** If it takes its time, the world stands still meanwhile: virtual time depends on nothing but the seed. */
  readonly assemble: (
    request: AssemblyRequest,
  ) => AssemblyAnswer | Promise<AssemblyAnswer>;
  readonly endorse: (
    request: EndorsementRequest,
  ) => EndorseOutcome | Promise<EndorseOutcome>;
  /** For liars: what nobody asked for, and what no intent creates. */
  readonly makeUp: {
    readonly payload: () => string;
    readonly state: (intentId: IntentId, random: Random) => State | undefined;
  };
  /** Whether what happened is what should have. Throws a `Violation` if not. */
  readonly checkEnd?: (history: readonly Block[]) => Promise<void>;
  readonly close?: () => void;
}

type GroupConfig = Omit<SequencerConfig, "self" | "boot">;

/** A group as it is drawn, before its domain has a say. */
export type DrawnGroup = Pick<
  GroupConfig,
  "contract" | "members" | "committee" | "threshold"
> & { readonly seed: number };

/** Makes a domain for a run. */
export type DomainKind = (group: DrawnGroup) => SimulatedDomain;
