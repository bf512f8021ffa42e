import type { Address, Bytes32, Hex } from "../../ledger/index.ts";
import type { ChainTransaction } from "./transaction.ts";

/** A log without its place on the chain. */
export interface EmittedLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** A transaction in a block, and what became of it. */
export interface MinedTransaction {
  readonly transaction: ChainTransaction;
  readonly index: number;
  readonly isSuccess: boolean;
  readonly gasUsed: bigint;
  /** With all transactions before it in the block. */
  readonly cumulativeGas: bigint;
  /** What it paid for one unit of gas. */
  readonly gasPrice: bigint;
  readonly contractAddress: Address | undefined;
  readonly logs: readonly EmittedLog[];
  /** The number of its first log in the block. */
  readonly firstLog: number;
  /** Why it failed, as revert data; undefined if it did not revert. */
  readonly revertData: Hex | undefined;
}

/** A block. While it is built, it has no transactions yet. */
export class Block {
  readonly number: number;
  readonly hash: Bytes32;
  readonly parent: Block | undefined;
  /** In seconds. */
  readonly timestamp: number;
  /** Undefined on a chain without EIP-1559. */
  readonly baseFee: bigint | undefined;
  readonly gasLimit: bigint;
  transactions: readonly MinedTransaction[] = [];
  gasUsed = 0n;
  /** A filter of all addresses and topics of its logs: 512 digits after "0x". */
  logsBloom = "";
  /** Nodes have this block since this head, counted in heads of the ledger. */
  since = 0;

  constructor(
    parts: Pick<
      Block,
      "number" | "hash" | "parent" | "timestamp" | "baseFee" | "gasLimit"
    >,
  ) {
    this.number = parts.number;
    this.hash = parts.hash;
    this.parent = parts.parent;
    this.timestamp = parts.timestamp;
    this.baseFee = parts.baseFee;
    this.gasLimit = parts.gasLimit;
  }
}
