import type { ShownRole } from "../../src/replica/presence.ts";

/** What `sequencer:replicas` tells. */
export type ReplicasFact =
  | {
      readonly type: "promoting";
      readonly replica: string;
      /** The replica that is active now; null if none is. */
      readonly from: string | null;
    }
  | {
      readonly type: "promoted";
      readonly replica: string;
      readonly epoch: number;
      /** From the wish until its node had started. */
      readonly elapsedMs: number;
    }
  | {
      readonly type: "replicas";
      readonly node: string;
      /** The replica that has the lease; null if none has. */
      readonly active: string | null;
      /** Grows whenever a replica takes the lease. */
      readonly epoch: number;
      /** Since when it has the lease, or none has. */
      readonly since: string;
      /** The last turn of the log. */
      readonly head: number;
      /** The last turn of the newest snapshot; null if there is none. */
      readonly snapshot: number | null;
      /** Whether the log is stopped, so that nobody is active without a grant. */
      readonly isStopped: boolean;
    }
  | ReplicaRowFact;

/** One replica, as it was seen last. */
export interface ReplicaRowFact {
  readonly type: "replica";
  readonly name: string;
  readonly role: ShownRole;
  /** It has not been seen for longer than the lease. */
  readonly isAway: boolean;
  readonly version: string;
  readonly rpc: string | null;
  readonly peersAddress: string | null;
  /** The last turn that it had. */
  readonly applied: number;
  /** Turns that it did not have, of those that there are now. */
  readonly lag: number;
  readonly seenMsAgo: number;
}
