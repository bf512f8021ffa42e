import type { Head } from "../store/log/chain.ts";

/** What makes a node the same node wherever it runs. */
export interface NodeFacts {
  readonly name: string;
  readonly chainId: bigint;
  readonly factory: string;
  /** Of its identity, in any one form. */
  readonly publicKey: string;
  /** The address that endorses and pays. */
  readonly account: string;
  /** A hash of the wallet's secret that does not reveal it. */
  readonly walletPrint: string;
  /** The version of the tables of a store that this software writes. */
  readonly storeFormat: number;
}

export interface ReplicaOptions {
  readonly url: string;
  readonly schema: string;
  readonly bucket: number;
  /** Of this replica: two replicas of a node have different ones. */
  readonly name: string;
  /** The store of this replica. Other files with names that begin like this are next to it. */
  readonly file: string;
  readonly node: NodeFacts;
  /** After so long without a sign of life the server gives the lease up. */
  readonly leaseMs: number;
  /** For so long a lease stays free for the process that had it last. */
  readonly graceMs: number;
  /** How often the log is read, also if nobody wakes this replica. */
  readonly pollMs: number;
  /** A snapshot is made after turns with so many bytes. */
  readonly snapshotBytes: number;
  /** For people who ask which replicas there are. */
  readonly about: ReplicaAbout;
}

export interface ReplicaAbout {
  readonly version: string;
  /** Where users reach this replica. */
  readonly rpc?: string;
  /** Where operators and supervisors reach this replica. */
  readonly operatorRpc?: string;
  /** Where other nodes reach this replica. */
  readonly peersAddress?: string;
}

export const replicaDefaults = {
  bucket: 0,
  leaseMs: 3_000,
  graceMs: 1_000,
  pollMs: 250,
  snapshotBytes: 67_108_864,
} as const satisfies Partial<ReplicaOptions>;

/**
 * A passive replica follows the log. One that is activating has the lease and starts its node; an active one runs it. A stopped one does
 * nothing any more.
 */
export type Role = "passive" | "activating" | "active" | "stopped";

/** Why a replica has its role. */
export type RoleCause =
  | "started"
  | "lease-taken"
  | "node-started"
  | "lease-lost"
  | "node-failed"
  | "promotion"
  | "revoked"
  | "stopped"
  | "failed";

/**
 * How a replica came to the lease: nobody had it before, its last owner gave it up or did not, or this process had it last and lost it.
 */
export type Takeover = "start" | "handover" | "failover" | "return";

export interface RoleDetails {
  readonly cause: RoleCause;
  /** Of a replica that has just taken the lease. */
  readonly takeover?: Takeover;
  /** Of the lease, while the replica has it. */
  readonly epoch?: number;
  /** Where the log was. */
  readonly head?: Head;
  /** The replica to which the lease is left. */
  readonly heir?: string;
  readonly error?: unknown;
}

/** Something that logs and metrics are for. */
export type ReplicaFact =
  /** The database or the log is in the way of a passive replica; undefined when it is no more. */
  | { readonly type: "Trouble"; readonly error: unknown }
  /** The file was deleted, for a reason, and made again from a snapshot, if there was one, and turns. */
  | {
      readonly type: "Rebuilt";
      readonly reason: string;
      readonly snapshot: number | undefined;
    }
  | { readonly type: "SnapshotMade"; readonly sequence: number }
  | { readonly type: "SnapshotFailed"; readonly error: unknown }
  /** A snapshot of the schema cannot be used. */
  | {
      readonly type: "SnapshotRefused";
      readonly sequence: number;
      readonly error: unknown;
    }
  /** A newer version has written the log. This replica stays passive until it is updated. */
  | { readonly type: "Outdated"; readonly error: unknown };

/** Turns that became durable together, in one request. */
export interface Append {
  readonly turns: number;
  readonly bytes: number;
  /** From the first attempt to the answer. */
  readonly ms: number;
}

/** A replica at one moment, for metrics. All of it is known without a request. */
export interface ReplicaSample {
  readonly role: Role;
  /** Of the log, as this replica saw it last; undefined before it has. */
  readonly epoch: number | undefined;
  /** Since the last request whose answer proved that the lease is this replica's; undefined if it has none. */
  readonly leaseAgeMs: number | undefined;
  /** Turns that a passive replica lacks of the log as it was at the last look; undefined before that. */
  readonly lagTurns: number | undefined;
  /** Since a passive replica was known to have all turns. */
  readonly lagMs: number | undefined;
}
