import type { Address, Hex, StateId, Uint64 } from "../ledger/index.ts";
import type { GroupAddress, IntentId } from "../protocol/ids.ts";

/** An EVM node, as JSON-RPC: Hardhat's in-process provider, or one over HTTP or WebSocket. */
export interface ChainClient {
  /** Rejects with a {@link ChainError}. */
  readonly request: (
    method: string,
    params: readonly unknown[],
  ) => Promise<unknown>;
  /** Calls back when there may be a new block. A client that cannot tell never calls; the indexer polls anyway. */
  readonly onHead: (listener: () => void) => () => void;
  readonly close: () => Promise<void>;
}

/** Why a request to the chain failed. */
export class ChainError extends Error {
  override readonly name = "ChainError";
  /** "unreachable": nobody knows whether it happened; "refused": the node answered with an error. */
  readonly kind: "unreachable" | "refused";
  /** The node's code and data, for example of a revert. */
  readonly code: number | undefined;
  readonly data: unknown;
  /** There was no answer in time. Somebody may still be there, and busy. */
  readonly isLate: boolean;

  constructor(
    kind: "unreachable" | "refused",
    message: string,
    details: {
      readonly code?: number | undefined;
      readonly data?: unknown;
      readonly cause?: unknown;
      readonly isLate?: boolean;
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.isLate = details.isLate ?? false;
    this.kind = kind;
    this.code = details.code;
    this.data = details.data;
  }
}

/** A transition that the ledger made, as its logs tell. */
export interface IndexedTransition {
  readonly group: GroupAddress;
  readonly transitionHash: Hex;
  readonly intents: readonly IntentId[];
  readonly inputs: readonly StateId[];
  readonly outputs: readonly StateId[];
  readonly transactionHash: Hex;
  readonly transactionIndex: number;
  /** Of the `Transitioned` log. */
  readonly logIndex: number;
}

/** A change of a group's committee, as the ledger's log tells. */
export interface IndexedCommittee {
  readonly group: GroupAddress;
  /** That begins with the change. */
  readonly epoch: Uint64;
  /** In ascending order, as endorsements name them. */
  readonly members: readonly Address[];
  readonly threshold: number;
}

/** A block, as far as it concerns this node's groups. */
export interface IndexedBlock {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: number;
  readonly transitions: readonly IndexedTransition[];
  /** Changes of committees, in the order of the chain; without it there are none. */
  readonly committees?: readonly IndexedCommittee[];
}

/** Gives an address money, so that it has `needed` and more. False if it did not: it has as much, or there is no way. */
export type Faucet = (address: Address, needed: bigint) => Promise<boolean>;
