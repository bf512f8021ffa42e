import type { Domain, Json, SeenState } from "../../domains/domain.ts";
import type { NodeSettings } from "../../node/settings.ts";
import type { IntentEffect, NodeStatus } from "../../node/service.ts";

/** An argument of a function: plain data, with integers as `bigint` or as safe numbers. */
export type Value =
  Json | bigint | readonly Value[] | { readonly [name: string]: Value };

/** `connection.sequencer`: real nodes on the chain of this connection. */
export interface ConnectionSequencer {
  /** Whether nodes run on this connection. */
  readonly isRunning: boolean;
  /** The nodes that run; an error if none do. */
  readonly cluster: RunningCluster;
  /** Starts nodes on this connection. There is one cluster at a time. */
  start(options?: ClusterStartOptions): Promise<RunningCluster>;
}

/** What differs from the key `sequencer` of `hardhat.config.ts`. */
export interface ClusterStartOptions {
  /** How many nodes, or their names. */
  readonly nodes?: number | readonly string[];
  /** Endorsements that a transition needs, in groups that do not say. */
  readonly threshold?: number;
  /** How often a simulated chain mines a block without being asked, in milliseconds; 0 for never. */
  readonly blockMs?: number;
  readonly settings?: Partial<NodeSettings>;
  /** What groups can be about, besides the domains that come with the plugin. */
  readonly domains?: readonly Domain[];
  /** Decides what lost and late messages hit; the same seed, the same draws. */
  readonly seed?: number;
}

/** Several nodes on one chain, in this process. */
export interface RunningCluster {
  readonly nodes: readonly ClusterNode[];
  /** The factory of its groups. */
  readonly factory: string;
  /** The node with this name. */
  node(name: string): ClusterNode;
  /** Resolves when all members that are up have joined. */
  createGroup(options: NewClusterGroup): Promise<ClusterGroup>;
  status(): readonly ClusterNodeStatus[];
  /**
   * Resolves when every node that is up has seen the chain as it is now, with the content of all states. Nodes whose blocks
   * are held do not count.
   */
  synced(): Promise<void>;
  /** Nodes hear only those of their own side. A node that is on no side hears nobody. */
  partition(...sides: readonly (readonly string[])[]): void;
  /** Makes the network from one node to another worse. What is left out stays as it is. */
  disturb(
    direction: { readonly from: string; readonly to: string },
    faults: NetworkFaults,
  ): void;
  /** The network is perfect again. */
  heal(): void;
  /** The simulated chain makes no blocks until {@link resumeMining}. Transactions wait. */
  pauseMining(): Promise<void>;
  resumeMining(): Promise<void>;
  /** The next transitions that any node submits are mined and fail; see {@link ClusterNode.revertNext}. */
  revertNext(count?: number): void;
  /**
   * Replaces the last blocks of the simulated chain by a longer branch without their transactions: at least so many blocks, or
   * at least all from a block on.
   */
  reorganise(
    blocks: number | { readonly fromBlock: number },
  ): Promise<Reorganisation>;
  /** Stops all nodes and removes their data. Closing the connection does it too. */
  stop(): Promise<void>;
}

/** What a reorganisation did. */
export interface Reorganisation {
  /** The last block that stayed. */
  readonly ancestor: number;
  /** The last block before, and the last block after. */
  readonly from: number;
  readonly to: number;
}

/** What happens to messages on their way. */
export interface NetworkFaults {
  /** How late they are; with a range, some overtake others. */
  readonly delayMs?: number | { readonly min: number; readonly max: number };
  /** From 0, none, to 1, all. */
  readonly dropRate?: number;
  readonly duplicateRate?: number;
}

/** One node of a cluster. */
export interface ClusterNode {
  readonly name: string;
  /** The account with which it endorses and pays. */
  readonly address: string;
  readonly isUp: boolean;
  /** The last block that it has seen. */
  readonly height: number;
  status(): ClusterNodeStatus;
  /** Calls a method of its JSON-RPC, without a port in between: users' transactions, verifiers, the base ledger. */
  request(call: {
    readonly method: string;
    readonly params?: readonly unknown[];
  }): Promise<unknown>;
  /** What is not on its disk is lost, as if its process had been killed. */
  crash(): Promise<void>;
  /** Starts it on its own disk, after a crash if it is still up. */
  restart(): Promise<void>;
  /** Once this resolves it learns of no block until they are released. */
  holdBlocks(): Promise<void>;
  releaseBlocks(): void;
  /** The next transitions that it submits are signed with too little gas, so that they are mined and fail. */
  revertNext(count?: number): void;
}

/** One node at a glance; a node that is down tells nothing else. */
export type ClusterNodeStatus =
  | ({ readonly isUp: true } & NodeStatus)
  | {
      readonly isUp: false;
      readonly name: string;
      /** Why it stopped, if it did by itself. */
      readonly failure: string | undefined;
    };

/** A group to be created. What is left out: all nodes, the threshold of the cluster, no name. */
export interface NewClusterGroup {
  readonly domain: string;
  readonly members?: readonly string[];
  readonly threshold?: number;
  readonly name?: string;
  readonly configuration?: Readonly<Record<string, string>>;
}

/** A group, and what its members do with it. */
export interface ClusterGroup {
  /** Of its contract. */
  readonly address: string;
  readonly name: string;
  readonly domain: string;
  readonly members: readonly string[];
  readonly threshold: number;
  /** Resolves when the intent is on the node's disk. A function may be named without its types if that is clear. */
  send(
    node: string,
    functionName: string,
    args?: Readonly<Record<string, Value>>,
    options?: SendOptions,
  ): Promise<SentIntent>;
  /** Asks a node about the states that it sees on the ledger. Integers come as `bigint`. */
  query(
    node: string,
    functionName: string,
    args?: Readonly<Record<string, Value>>,
    options?: Pick<SendOptions, "from">,
  ): Promise<Readonly<Record<string, Value>>>;
  /** The unspent states that a node sees on the ledger and has the content of. */
  states(node: string): readonly SeenState[];
}

/** How an intent is sent. */
export interface SendOptions {
  /** Who asks, on that node; without it, the node itself. */
  readonly from?: string;
  /** Intents that must be confirmed before. */
  readonly dependsOn?: readonly (SentIntent | string)[];
}

/** An intent that a node has accepted. */
export interface SentIntent {
  readonly id: string;
  readonly node: string;
  readonly group: string;
  /** Resolves when it has ended: confirmed or reverted. Survives crashes of its node. */
  receipt(): Promise<IntentReceipt>;
  /** Resolves when it is confirmed; rejects if it reverts. */
  confirmed(): Promise<ConfirmedReceipt>;
  /** What it waits for, in one sentence; undefined if it is not open any more. */
  explain(): string | undefined;
  /** Takes it up again if its domain has parked it; false if it is not parked. */
  resume(): Promise<boolean>;
  /** What it did, as far as its node may see it; undefined while the ledger has it not. */
  effect(): IntentEffect | undefined;
}

export type IntentReceipt = ConfirmedReceipt | RevertedReceipt;

export interface ConfirmedReceipt {
  readonly type: "confirmed";
  readonly id: string;
  /** Where the ledger has it. */
  readonly block: number;
  readonly transactionHash: string;
}

export interface RevertedReceipt {
  readonly type: "reverted";
  readonly id: string;
  readonly reason: string;
}
