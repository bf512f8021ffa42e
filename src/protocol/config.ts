import type {
  Digest,
  GroupAddress,
  IntentId,
  NodeName,
  StepHash,
} from "./ids.ts";
import type {
  PlacedState,
  State,
  Step,
  UnsealedOutline,
} from "./transition.ts";

/** What a rotation of the role depends on. */
export type Policy = "sticky" | "rotating";

/** Who may coordinate: each node its own intents; a fixed node or pool; any member of the committee. */
export type Mode = "local" | "remote" | "elected";

/** A node's claim that an intent id is its own. */
export interface IntentClaim {
  readonly id: IntentId;
  readonly sender: NodeName;
  readonly laneSalt: string;
  readonly payload: string;
}

/** The arithmetic of the ledger, so that the protocol need not know it. Pure, and defined for nonsense too. */
export interface Hashing {
  /** Whether an intent id belongs to that sender. Nobody can claim the id of another node. */
  readonly isOwnIntent: (claim: IntentClaim) => boolean;
  /** What the sender of a step signs: all of it, for one group on one chain in one epoch. */
  readonly stepHash: (step: Step) => StepHash;
  /** What endorsers sign for a bundle: all of it. */
  readonly bundleDigest: (outline: UnsealedOutline) => Digest;
  /** Where the ledger will keep what a bundle creates. */
  readonly placesOf: (outline: UnsealedOutline) => readonly PlacedState[];
}

/** One node's part in one group. Ticks are the unit of time; how long a tick lasts is the runtime's business. */
export interface SequencerConfig {
  readonly self: NodeName;
  readonly contract: GroupAddress;
  /** Everybody who takes part. */
  readonly members: readonly NodeName[];
  /** Members whose endorsements count. They see everything. */
  readonly committee: readonly NodeName[];
  /** Whether a member outside of the committee may see a state. */
  readonly mayKnow: (node: NodeName, state: State) => boolean;
  /** The block in which the ledger got this committee; without it, the group began with it. */
  readonly committeeSince?: number;
  /** Endorsements that a bundle needs. */
  readonly threshold: number;
  readonly mode: Mode;
  /** With mode `remote`: who may coordinate. */
  readonly pool: readonly NodeName[];
  readonly policy: Policy;
  readonly rangeSizeBlocks: number;
  readonly heartbeatTicks: number;
  /** Heartbeats that may be missed before a coordinator counts as silent. */
  readonly heartbeatGrace: number;
  /** Heartbeats that a coordinator sends after its last work. */
  readonly closingGrace: number;
  /** Ticks before a request is sent again the first time; doubled each time, up to the maximum. */
  readonly requestTicks: number;
  readonly requestTicksMax: number;
  /** Ticks before what was refused, or failed, is tried again the first time; doubled each time, up to the same maximum. */
  readonly retryTicks: number;
  /** Ticks after which what a transaction waits for is given up: it is pooled again, or goes back to a sender that does not answer. */
  readonly stateTicks: number;
  /** Ticks that a silent node is skipped. */
  readonly suspicionTicks: number;
  /** Blocks for which a bundle is valid. */
  readonly validForBlocks: number;
  /** Times that a sender tries an intent again after a failure that may pass. */
  readonly retriesMax: number;
  /** Intents in one bundle that this node coordinates, at most; what limits of the protocol allow is never exceeded. */
  readonly bundleMax: number;
  /** Grows with every start of the node. */
  readonly boot: number;
  readonly hashing: Hashing;
  /** After turns it is checked that this node's memory does not contradict itself: for tests, and to find errors of the protocol. */
  readonly isChecked?: boolean;
  /** Of earlier epochs, newest first: for bundles that happened before the committee changed. */
  readonly earlierHashings?: readonly Hashing[];
}

/** The part of the configuration that a change of the committee replaces. `boot` grows, and `hashing` is of the new epoch. */
export type CommitteeConfig = Required<
  Pick<
    SequencerConfig,
    | "members"
    | "committee"
    | "committeeSince"
    | "threshold"
    | "pool"
    | "boot"
    | "hashing"
    | "earlierHashings"
  >
>;
