import type { Address, Hex } from "../ledger/index.ts";
import type { Policy } from "../protocol/config.ts";
import type {
  Digest,
  GroupAddress,
  IntentId,
  NodeName,
} from "../protocol/ids.ts";
import type {
  Domain,
  DomainGroup,
  Json,
  SeenState,
} from "../domains/domain.ts";
import type { SentTransaction } from "../chain/submitter/public-end.ts";

/** A group, as a node knows it. */
export interface NodeGroup extends DomainGroup {
  readonly address: GroupAddress;
  readonly domain: Domain;
  /** 32 bytes; the same at all members. */
  readonly id: string;
  readonly name: string;
  readonly threshold: number;
}

/** What a user wants done in a group. */
export interface NewIntent {
  readonly group: GroupAddress;
  readonly id: IntentId;
  /** As {@link NodeService.newIntentId} gave it, together with the id. */
  readonly laneSalt: string;
  readonly payload: string;
  readonly touches: readonly string[] | undefined;
  readonly dependsOn: readonly IntentId[];
  readonly isPrepareOnly: boolean;
}

/** Who signs a transaction of the base ledger. */
export interface TransactionSigner {
  readonly address: Address;
  /** Undefined for the node itself. */
  readonly userName: string | undefined;
}

/** A transaction of the base ledger that a user wants. It happens at most once. */
export interface NewTransaction {
  readonly id: Digest;
  readonly signer: TransactionSigner;
  /** Undefined: to create a contract. */
  readonly to: Address | undefined;
  readonly data: Hex;
  readonly value: bigint;
  readonly gasLimit: bigint;
  /** What the user offers for gas, and never more; undefined: what is usual. */
  readonly maxFee: bigint | undefined;
  readonly tip: bigint | undefined;
}

/** A group that a user wants. */
export interface WantedGroup {
  readonly domain: string;
  readonly members: readonly NodeName[];
  readonly threshold: number;
  readonly configuration: Readonly<Record<string, string>>;
}

/** What users want, to be taken together. */
export interface NewWork {
  readonly intents: readonly NewIntent[];
  readonly transactions: readonly NewTransaction[];
}

/** What a node does for its users. The RPC server, tests and tasks use nothing else. */
export interface NodeService {
  readonly name: NodeName;
  readonly domains: ReadonlyMap<string, Domain>;
  readonly groups: () => readonly NodeGroup[];
  readonly group: (address: GroupAddress) => NodeGroup | undefined;
  /**
   * Resolves with the group once it is on the ledger and this node takes part in it. Rejects with a `NodeRefusal` if that
   * can never be. Who asks again with the same id, also after a restart, gets the same group.
   */
  readonly createGroup: (
    options: WantedGroup & { readonly id: string; readonly name: string },
  ) => Promise<NodeGroup>;
  /** Throws a `NodeRefusal` for a group that can never be created here, for example because a member is unknown. */
  readonly checkGroup: (wanted: WantedGroup) => void;
  /**
   * Resolves with a group that was created without a node, once this node takes part in it. Rejects with a `NodeRefusal` if the
   * ledger says otherwise, and with a `ChainError` if it does not answer.
   */
  readonly importGroup: (group: {
    readonly address: GroupAddress;
    readonly id: string;
    readonly name: string;
    readonly domain: string;
    readonly members: readonly NodeName[];
    readonly threshold: number;
    readonly policy: Policy;
    readonly configuration: Readonly<Record<string, string>>;
  }) => Promise<NodeGroup>;
  /** A new id for an intent: cheap on the ledger, never given twice, and provably this node's own. */
  readonly newIntentId: (
    group: GroupAddress,
  ) => Pick<NewIntent, "id" | "laneSalt">;
  /**
   * Resolves when all of it is durable; rejects with a `NodeRefusal` when something is not taken, and then nothing is.
   * `record` runs inside the same commit, so that what it writes is there if and only if the rest is.
   */
  readonly submit: (work: NewWork, record: () => void) => Promise<void>;
  /**
   * Who signs a transaction of the base ledger for a name: a user of this node, or with `eth_address:0x…` the node itself,
   * if that address is one of its own.
   */
  readonly signerOf: (name: string) => TransactionSigner | undefined;
  /** Gives a user money, so that he has so much, on a chain where it is free. False if it did not. */
  readonly fund: (
    signer: TransactionSigner,
    needed: bigint,
  ) => Promise<boolean>;
  /** A transaction of the base ledger that is on its way, or ended not long ago. */
  readonly sent: (id: Digest) => SentTransaction | undefined;
  /** What such a transaction waits for, in one sentence; undefined if it has ended. */
  readonly explainSent: (id: Digest) => string | undefined;
  /** Takes a parked intent up again; false if it is not parked here. */
  readonly resume: (id: IntentId) => Promise<boolean>;
  /**
   * Leaves the role of the coordinator to others, until it is told to take part again or starts again. {@link NodeStatus.draining} says
   * when the node can be stopped.
   */
  readonly drain: (isDraining: boolean) => void;
  /** What an intent waits for, in one sentence; undefined if it is not open here. */
  readonly explain: (id: IntentId) => string | undefined;
  /** Asks the domain about the states as they are on the ledger now. */
  readonly query: (
    group: GroupAddress,
    call: {
      readonly from: string;
      readonly signature: string;
      readonly args: Readonly<Record<string, Json>>;
    },
  ) => Promise<Readonly<Record<string, Json>>>;
  /** What a finished intent did, as far as this node may see it. */
  readonly effectOf: (
    group: GroupAddress,
    id: IntentId,
  ) => IntentEffect | undefined;
  /** The call that carries out what was prepared for the user of an intent; undefined until it is. */
  readonly preparedOf: (
    group: GroupAddress,
    id: IntentId,
  ) => PreparedCall | undefined;
  /**
   * The key of a user: secp256k1, uncompressed, 65 bytes with 0x; undefined if there is none. A user of this node gets it on
   * first use; about others their nodes are asked. Rejects with a `NodeRefusal` if such a node does not answer soon.
   */
  readonly publicKeyOf: (identity: {
    readonly name: string;
    readonly node: NodeName;
  }) => Promise<string | undefined>;
  readonly height: () => number;
  readonly status: () => NodeStatus;
  /** Called after every commit that settled something. */
  readonly onSettled: (listener: () => void) => () => void;
}

/** The states of an intent that the ledger fulfilled. */
export interface IntentEffect {
  readonly spent: readonly SeenState[];
  readonly read: readonly SeenState[];
  readonly confirmed: readonly SeenState[];
  /** What is to be known of it besides. */
  readonly infos: readonly SeenState[];
}

/** What was prepared for a user: whoever submits it, it happens at most once. */
export interface PreparedCall {
  readonly to: string;
  readonly data: string;
  /** The last block in which it can happen. */
  readonly validUntil: number;
  readonly effect: IntentEffect;
}

/** How an intent ended, as the node tells it inside the commit. */
export interface Settlement {
  readonly group: GroupAddress;
  readonly intentId: IntentId;
  readonly outcome:
    | {
        readonly type: "Confirmed";
        readonly block: number;
        readonly transactionHash: string;
        readonly transactionIndex: number;
        readonly logIndex: number;
      }
    | { readonly type: "Reverted"; readonly reason: string };
}

/** One node at a glance. */
export interface NodeStatus {
  readonly name: NodeName;
  readonly height: number;
  readonly boot: number;
  /** Those in memory: all that have something to do, and some of the others. */
  readonly groups: readonly GroupStatus[];
  /** More groups, which have nothing to do and are only on the disk. */
  readonly groupsAside: number;
  /** Groups of this node that it does not know, for example because its disk was lost, and what it waits for. */
  readonly rejoining: readonly {
    /** Undefined while the ledger is searched for such groups. */
    readonly group?: GroupAddress | undefined;
    readonly why: string;
  }[];
  /** Users' transactions of the base ledger that have not ended. */
  readonly openTransactions: number;
  /** Messages that were dropped, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Of a node that is drained: whether it can be stopped, and else why not, one sentence for each group. */
  readonly draining?:
    | { readonly isDone: boolean; readonly reasons: readonly string[] }
    | undefined;
}

/** One node's part in one group at a glance. */
export interface GroupStatus {
  readonly address: GroupAddress;
  readonly name: string;
  readonly domain: string;
  /** Whether this node takes part; if not, it only follows the ledger. */
  readonly isMember: boolean;
  /** Of the committee, as a decimal number; grows with every change. */
  readonly epoch: string;
  /** The nodes that endorse, as far as this node knows them, and how many must. */
  readonly endorsers: readonly NodeName[];
  readonly threshold: number;
  /** Why nothing can happen here; undefined if it can. */
  readonly trouble: string | undefined;
  readonly sender: string;
  readonly coordinator: string;
  /** Whom this node sees coordinating, and how old his last heartbeat is. */
  readonly active: NodeName | undefined;
  readonly heartbeatAgeMs: number | undefined;
  /** Who may coordinate in this range, best first. */
  readonly ranking: readonly NodeName[];
  readonly range: number;
  readonly rangeStart: number;
  readonly rangeEnd: number;
  /** This node's own intents by state. */
  readonly own: Readonly<Record<string, number>>;
  /** What it coordinates, by state. */
  readonly coordinated: Readonly<Record<string, number>>;
  /** Intents that wait for something out of the ordinary, and for what. */
  readonly blocked: readonly { readonly id: IntentId; readonly why: string }[];
  /** States on the ledger whose content it waits for. */
  readonly missingStates: number;
}

export type { SentTransaction };

/** A node does not take an intent. */
export class NodeRefusal extends Error {
  override readonly name = "NodeRefusal";
}
