import type { NodeLoad } from "../node/load.ts";
import type { NodeStatus } from "../node/service.ts";
import type { ReplicaSample } from "../replica/options.ts";

/** How this node and a peer are connected. */
export interface PeerStatus {
  readonly name: string;
  readonly isConnected: boolean;
  /** Messages that wait to be sent. */
  readonly queued: number;
  /** Messages that were given up since the start. */
  readonly lost: number;
}

/** Requests to the chain. */
export interface ChainRequests {
  /** How many were sent, by method. */
  readonly sent: ReadonlyMap<string, number>;
  /** How many were refused because there were too many. */
  readonly rateLimited: number;
}

/** What a monitor asks when somebody wants to know. What is left out is not told. Any of them may throw. */
export interface MonitorPorts {
  readonly status: () => NodeStatus;
  /** This process is a replica that waits; its node runs elsewhere. Nothing else is asked about the node then. */
  readonly isPassive?: (() => boolean) | undefined;
  /** Only of a replica; undefined before it has started. */
  readonly replica?: (() => ReplicaSample | undefined) | undefined;
  readonly load?: (() => NodeLoad) | undefined;
  readonly peers?: (() => readonly PeerStatus[]) | undefined;
  readonly databaseBytes?: (() => number) | undefined;
  readonly isStoreOpen?: (() => boolean) | undefined;
  /** What was asked of the chain since the start. */
  readonly chainRequests?: (() => ChainRequests) | undefined;
  readonly logLinesLost?: (() => number) | undefined;
  /** Milliseconds that never go back. */
  readonly now?: (() => number) | undefined;
}
