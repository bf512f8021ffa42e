import type { Address } from "../ledger/index.ts";
import type {
  Digest,
  GroupAddress,
  IntentId,
  NodeName,
} from "../protocol/ids.ts";
import type { Domain } from "../domains/domain.ts";
import type { Wallet } from "../keys/wallet.ts";
import type { PublicEnd } from "../chain/submitter/public-end.ts";
import type { ChainClient, Faucet } from "../chain/ports.ts";
import type { Endorser, Payer } from "../keys/ports.ts";
import type { Receive } from "../network/ports.ts";
import type { Settlement } from "./service.ts";
import type { IsSignedBy } from "../keys/step-signatures.ts";
import type { Store } from "../store/store.ts";
import type { Timers } from "../async/timers.ts";
import type { SealedTransport } from "../network/sealed-transport.ts";
import type { Takeover } from "./takeover.ts";
import type { Batch } from "./loop.ts";
import type { EventMoment, Moment } from "./driver.ts";
import type { NodeEffect } from "./node-effects.ts";
import type { NodeEvent } from "./node-events.ts";
import type { NodeWrite } from "./node-writes.ts";

/** Who is who: the nodes that this node knows, with the addresses that endorse for them and the keys that they sign with. */
export interface Directory {
  readonly names: () => readonly NodeName[];
  readonly endorserOf: (name: NodeName) => Address | undefined;
  readonly isSignedBy: IsSignedBy;
}

/** Keeps what users see, inside the node's commits. */
export interface UserBook {
  readonly settle: (settlement: Settlement) => void;
  /** Blocks were taken back: these are not settled any more. */
  readonly unsettle: (settlements: {
    readonly group: GroupAddress;
    readonly intentIds: readonly IntentId[];
  }) => void;
  /** The same for transactions of the base ledger. */
  readonly settlePublic: (end: PublicEnd) => void;
  /** Blocks above a height were taken back. */
  readonly unsettlePublic: (height: number) => void;
}

/** All that a node is connected with. */
export interface NodePorts {
  readonly store: Store;
  readonly client: ChainClient;
  readonly timers: Timers;
  readonly domains: ReadonlyMap<string, Domain>;
  readonly directory: Directory;
  /** Signs as this node. */
  readonly sign: (bytes: Uint8Array) => Uint8Array;
  /** 16 bytes that nobody can foresee, as hexadecimal digits. */
  readonly newSalt: () => string;
  readonly endorser: Endorser;
  /** The keys of this node's users. */
  readonly wallet: Wallet;
  /** Tells what comes from peers, and in which boot a peer is heard for the first time. */
  readonly connect: (
    receive: Receive,
    onBoot: (peer: NodeName, boot: number) => void,
  ) => SealedTransport;
  /** Who pays for base-ledger transactions; at least one. */
  readonly payers: readonly Payer[];
  /** Gives users money for base-ledger transactions, where that is possible. */
  readonly faucet: Faucet;
  readonly users: UserBook;
  /** The node cannot go on. It has stopped; what it accepted is on its disk. */
  readonly onFatal: (error: unknown) => void;
  /** Something that people may want to know; never private, never a key. */
  readonly onFact: (fact: NodeFact) => void;
  /** Sees how far every batch is. No task gives it; tests do. */
  readonly onBatch?:
    | ((batch: Batch<NodeEvent, NodeWrite, NodeEffect>, moment: Moment) => void)
    | undefined;
  /** Sees every event when it begins to wait and when it is stepped. No task gives it; tests do. */
  readonly onEvent?:
    ((event: NodeEvent, moment: EventMoment) => void) | undefined;
}

/** What a node tells about itself. */
export type NodeFact =
  | { readonly type: "Started"; readonly height: number }
  /** Signatures are made in JavaScript: the optional library is missing. Told once in a process. */
  | { readonly type: "SignaturesSlow"; readonly reason: string }
  | { readonly type: "BlockSeen"; readonly height: number }
  | { readonly type: "BlocksReverted"; readonly height: number }
  | { readonly type: "ChainTrouble"; readonly reason: string | undefined }
  | {
      readonly type: "PayerTrouble";
      readonly payer: Address;
      readonly reason: string | undefined;
    }
  /** The key that endorses cannot be used; undefined when it can again. */
  | { readonly type: "EndorserTrouble"; readonly reason: string | undefined }
  /** A domain threw, or answered nonsense. Told once for each place that an error comes from. */
  | {
      readonly type: "DomainFailed";
      readonly domain: string;
      readonly method: string;
      /** The kind of the error, and what it says. */
      readonly error: string;
      readonly reason: string;
      /** Where it came from, innermost first. */
      readonly stack: readonly string[];
    }
  | { readonly type: "GroupJoined"; readonly group: GroupAddress }
  | {
      readonly type: "GroupRefused";
      readonly group: GroupAddress;
      readonly reason: string;
    }
  /** The ledger has this node as an endorser in a group that it does not know: why it has not joined again yet. */
  | {
      readonly type: "GroupMissing";
      readonly group: GroupAddress;
      readonly reason: string;
    }
  /** The ledger has another committee for a group, or, after a reorganisation, an earlier one. */
  | {
      readonly type: "CommitteeChanged";
      readonly group: GroupAddress;
      readonly epoch: bigint;
      /** How many endorse, and how many of them must. */
      readonly members: number;
      readonly threshold: number;
      /** Whether this node still takes part in the group. */
      readonly isMember: boolean;
      /** Why the group cannot get on, as far as this node can tell. */
      readonly trouble: string | undefined;
    }
  | { readonly type: "Accepted"; readonly id: string }
  /** An own intent is on its way to the ledger, whoever coordinates it. May be told again. */
  | {
      readonly type: "IntentDispatched";
      readonly group: GroupAddress;
      readonly id: IntentId;
    }
  | {
      readonly type: "Dispatched";
      readonly group: GroupAddress;
      readonly digest: Digest;
      readonly intents: number;
    }
  | {
      readonly type: "SubmissionFailed";
      readonly group: GroupAddress;
      readonly failure: string;
      readonly reason: string;
    }
  | { readonly type: "Settled"; readonly settlement: Settlement }
  /** The user can have what was prepared for him. */
  | {
      readonly type: "Prepared";
      readonly group: GroupAddress;
      readonly id: IntentId;
    }
  | {
      readonly type: "CoordinatorChanged";
      readonly group: GroupAddress;
      readonly from: string;
      readonly to: string;
      /** How it became active; undefined if it did not. */
      readonly takeover: Takeover | undefined;
    };
