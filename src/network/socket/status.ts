import type { NodeName } from "../../protocol/ids.ts";
import type { EndReason, LossReason, RefusalReason } from "./facts.ts";
import type { Counts } from "./tally.ts";

/** How a node gets on with one peer. */
export interface PeerStatus {
  /** What is sent to it goes out. */
  readonly isConnected: boolean;
  /** It has a connection to here. */
  readonly isHeard: boolean;
  /** What waits for it. */
  readonly queued: number;
  readonly queuedBytes: number;
  /** Envelopes for it that did not go out. */
  readonly lost: Counts<LossReason>;
  /** Connections to it that ended, or were never made. */
  readonly outEnded: Counts<EndReason>;
  /** Connections from it that ended. */
  readonly inEnded: Counts<EndReason>;
}

/** How a node gets on with others. Counts are from the beginning. */
export interface SocketStatus {
  readonly peers: ReadonlyMap<NodeName, PeerStatus>;
  /** Those who wanted in and were not let in. */
  readonly refused: Counts<RefusalReason>;
  /** Envelopes for nodes of which nobody knows where they are. */
  readonly unaddressed: number;
}
