import type { Digest, GroupAddress, NodeName, StateId } from "./ids.ts";
import type { Step } from "./transition.ts";

/** What a rotation of the role depends on. */
export type Policy = "sticky" | "rotating";

/** Who may coordinate: each node its own intents; a fixed node or pool; any member of the committee. */
export type Mode = "local" | "remote" | "elected";

/** Hash functions of the ledger, so that the protocol need not know them. Pure. */
export interface Hashing {
  /** What endorsers sign for these steps. */
  readonly bundleDigest: (steps: readonly Step[], validUntil: number) => Digest;
  /** The id that a state with this content has as output `index` of a step. */
  readonly stateId: (step: {
    readonly intentId: string;
    readonly index: number;
    readonly content: string;
  }) => StateId;
}

/** One node's part in one group. Ticks are the unit of time; how long a tick lasts is the runtime's business. */
export interface SequencerConfig {
  readonly self: NodeName;
  readonly contract: GroupAddress;
  readonly committee: readonly NodeName[];
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
  /** Ticks after which what a transaction waits for is given up, and the transaction is pooled again. */
  readonly stateTicks: number;
  /** Ticks that a silent node is skipped. */
  readonly suspicionTicks: number;
  /** Blocks for which a bundle is valid. */
  readonly validForBlocks: number;
  /** Times that a sender tries an intent again after a failure that may pass. */
  readonly retriesMax: number;
  /** Grows with every start of the node. */
  readonly boot: number;
  readonly hashing: Hashing;
}
