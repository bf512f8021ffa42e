import {
  type Address,
  type Bytes32,
  type CompactSignature,
  type Digest,
  type Hex,
  keccak256Hex,
  parseAddress,
  recoverSigner,
} from "../../ledger/index.ts";
import { Block, type MinedTransaction } from "./block.ts";
import { BlockTree } from "./block-tree.ts";
import { EMPTY_BLOOM } from "./bloom.ts";
import { createdAddress } from "./contracts/addresses.ts";
import type { GroupState } from "./contracts/group.ts";
import { nextBaseFee } from "./fees.ts";
import { Mempool } from "./mempool.ts";
import { type CallResult, type Execution, Executor } from "./executor.ts";
import {
  type ChainTransaction,
  decodeTransaction,
  type Recover,
} from "./transaction.ts";
import { Journal } from "./versions.ts";

/** What a chain is like. Everything has a default. */
export interface LedgerOptions {
  readonly chainId: bigint;
  /** Makes the hashes of blocks: chains with different names have different first blocks. */
  readonly name: string;
  readonly factory: Address;
  /** Of the first block. */
  readonly timestampMs: number;
  /** Of the first block; undefined: the chain has no base fee (EIP-1559). */
  readonly baseFee: bigint | undefined;
  /** Of each block. */
  readonly gasLimit: bigint;
  /** What every account has at first. */
  readonly wealth: bigint;
}

export const ledgerDefaults: LedgerOptions = {
  chainId: 31_337n,
  name: "simulated",
  // Where the first account of Hardhat's chain puts its first contract.
  factory: parseAddress("0x5fbdb2315678afecb367f032d93f642f64180aa3"),
  timestampMs: 1_700_000_000_000,
  baseFee: 1_000_000_000n,
  gasLimit: 60_000_000n,
  wealth: 10n ** 24n,
};

export interface LedgerPorts {
  /** Finds signers. The default does it with secp256k1 and remembers what it found. */
  readonly recover: Recover;
  /** What a group's call to another contract fails with; nothing if it succeeds, as all do by default. */
  readonly failureOf: GroupState["failureOf"];
}

/** What to do when blocks are taken back. */
export interface TakeBackOptions {
  readonly depth: number;
  /** Transactions of these blocks for which this is true are lost; the others wait again. */
  readonly isLost?: ((transaction: ChainTransaction) => boolean) | undefined;
}

export interface MineOptions {
  readonly timestampMs: number;
  /** Leaves out transactions for which this is false, and what their senders sent after them. */
  readonly mayInclude?: (transaction: ChainTransaction) => boolean;
  /** Instead of the one that follows from the block before. */
  readonly baseFee?: bigint | undefined;
}

/** A block that has a transaction. */
export interface Place {
  readonly block: Block;
  readonly mined: MinedTransaction;
}

/**
 * The true chain: blocks, accounts, contracts and waiting transactions. Nothing here takes time, and nothing happens by itself:
 * somebody mines. Clients see it through `chainClientOf`.
 */
export class SimulatedLedger {
  readonly options: LedgerOptions;
  readonly implementation: Address;
  readonly tree: BlockTree;
  readonly mempool = new Mempool();
  readonly #executor: Executor;
  readonly #recover: Recover;
  readonly #decoded = new Map<string, ChainTransaction>();
  readonly #placesOf = new Map<string, Place[]>();
  readonly #listeners = new Set<() => void>();
  #built = 0;

  constructor(
    options: Partial<LedgerOptions> = {},
    ports: Partial<LedgerPorts> = {},
  ) {
    this.options = { ...ledgerDefaults, ...options };
    this.#recover = ports.recover ?? rememberingRecover();
    const { factory, chainId, wealth } = this.options;
    this.implementation = createdAddress(factory, 1);
    this.tree = new BlockTree(this.#firstBlock());
    this.#executor = new Executor(
      { factory, implementation: this.implementation, chainId, wealth },
      {
        tree: this.tree,
        journal: new Journal(),
        recover: this.#recover,
        failureOf: ports.failureOf ?? (() => undefined),
      },
    );
  }

  get head(): Block {
    return this.tree.head;
  }

  /** Makes the next block out of waiting transactions, as many as fit. */
  mine(options: MineOptions): Block {
    const block = this.#build(options);
    this.tree.showHead();
    this.#tellHead();
    return block;
  }

  /** Takes blocks off the chain. Until others come, the head is lower. */
  takeBack(options: TakeBackOptions): void {
    this.#cut(options);
    this.tree.showHead();
    this.#tellHead();
  }

  /** Takes blocks back and makes others, which nodes see all at once. */
  reorganise(
    options: TakeBackOptions & MineOptions & { readonly blocks: number },
  ): Block {
    this.#cut(options);
    for (let i = 0; i < options.blocks; i++) this.#build(options);
    this.tree.showHead();
    this.#tellHead();
    return this.head;
  }

  /** Calls back whenever there is another head. Gives what ends that. */
  onHead(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads a raw transaction. Throws a `TransactionError`. */
  decode(raw: Hex): ChainTransaction {
    const known = this.#decoded.get(raw);
    if (known !== undefined) return known;
    const transaction = decodeTransaction(raw, this.#recover);
    if (this.#decoded.size >= DECODED_MAX) this.#decoded.clear();
    this.#decoded.set(raw, transaction);
    return transaction;
  }

  /** Lets a transaction wait, as a node with this head does. Throws a `TransactionError` or a `PoolRefusal`. */
  send(raw: Hex, at: Block = this.head): ChainTransaction {
    const transaction = this.requireSendable(raw, at);
    const nonce = this.#executor.accountAt(transaction.from, this.head).nonce;
    // A node that is late takes what the chain has no use for any more.
    if (transaction.nonce >= nonce) this.mempool.add(transaction);
    return transaction;
  }

  /** Looks at a transaction as `send` does, and then forgets it. */
  requireSendable(raw: Hex, at: Block): ChainTransaction {
    const transaction = this.decode(raw);
    this.#executor.requireSendable(transaction, at, this.options.gasLimit);
    return transaction;
  }

  /** Carries out a call on top of a block, and leaves nothing of it. */
  call(call: Execution, at: Block, blockNumber = at.number): CallResult {
    return this.#executor.call(call, at, blockNumber);
  }

  accountAt(
    address: Address,
    at: Block,
  ): { readonly nonce: number; readonly balance: bigint } {
    return this.#executor.accountAt(address, at);
  }

  codeAt(address: Address, at: Block): Hex {
    return this.#executor.contracts.codeAt(address, at);
  }

  /** A group as of a block; undefined if it is not there. Do not change it. */
  groupAt(address: Address, at: Block = this.head): GroupState | undefined {
    return this.#executor.contracts.groupAt(address, at);
  }

  /** Where a transaction is, as a node sees it whose head is `at`. */
  placeOf(transactionHash: string, at: Block): Place | undefined {
    return this.#placesOf
      .get(transactionHash)
      ?.findLast(({ block }) => this.tree.isBelow(block, at));
  }

  #build({ timestampMs, mayInclude, baseFee }: MineOptions): Block {
    const parent = this.head;
    const block = new Block({
      number: parent.number + 1,
      hash: this.#hash(parent.hash),
      parent,
      timestamp: Math.max(parent.timestamp, Math.floor(timestampMs / 1_000)),
      baseFee:
        parent.baseFee === undefined
          ? undefined
          : (baseFee ?? nextBaseFee(parent)),
      gasLimit: this.options.gasLimit,
    });
    this.#executor.fill(block, this.mempool, mayInclude ?? (() => true));
    this.tree.add(block);
    for (const mined of block.transactions) {
      const { hash } = mined.transaction;
      const places = this.#placesOf.get(hash);
      if (places === undefined) this.#placesOf.set(hash, [{ block, mined }]);
      else places.push({ block, mined });
    }
    return block;
  }

  #cut({ depth, isLost }: TakeBackOptions): void {
    for (const block of this.tree.cut(depth))
      for (const { transaction } of block.transactions)
        this.#waitAgain(transaction, isLost);
  }

  /** Another transaction with the same nonce may wait already. */
  #waitAgain(
    transaction: ChainTransaction,
    isLost: TakeBackOptions["isLost"],
  ): void {
    const { from, nonce } = transaction;
    if (isLost?.(transaction) === true) return;
    if (this.mempool.at(from, nonce) === undefined)
      this.mempool.add(transaction);
  }

  #firstBlock(): Block {
    const { timestampMs, baseFee, gasLimit } = this.options;
    const block = new Block({
      number: 0,
      hash: this.#hash(""),
      parent: undefined,
      timestamp: Math.floor(timestampMs / 1_000),
      baseFee,
      gasLimit,
    });
    block.logsBloom = EMPTY_BLOOM;
    return block;
  }

  /** No two blocks of a chain have the same hash, on whatever branch. */
  #hash(parent: string): Bytes32 {
    return keccak256Hex(`${this.options.name} ${this.#built++} ${parent}`);
  }

  #tellHead(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Each is a few hundred bytes and more. */
const DECODED_MAX = 10_000;
const RECOVERED_MAX = 50_000;

/** Every node sends a transaction again and again, and every reorganisation carries it out again. */
function rememberingRecover(): Recover {
  const known = new Map<string, Address | undefined>();
  return (digest: Digest, signature: CompactSignature) => {
    const key = digest + signature.r + signature.vs;
    if (known.has(key)) return known.get(key);
    const signer = recoverSigner(digest, signature);
    if (known.size >= RECOVERED_MAX) known.clear();
    known.set(key, signer);
    return signer;
  };
}
