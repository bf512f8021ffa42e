import { type Address, byteLength, type Hex } from "../../ledger/index.ts";
import { Block, type EmittedLog, type MinedTransaction } from "./block.ts";
import type { BlockTree } from "./block-tree.ts";
import { bloomOf } from "./bloom.ts";
import { type Contracts, createdAddress } from "./contracts/addresses.ts";
import { ContractModel } from "./contracts/contracts.ts";
import type { GroupState } from "./contracts/group.ts";
import { intrinsicGas, runGas } from "./gas.ts";
import { type Mempool, PoolRefusal } from "./mempool.ts";
import type { ChainTransaction } from "./transaction.ts";
import { type Journal, Versions } from "./versions.ts";

/** A call or the creation of a contract. */
export interface Execution {
  readonly from: Address;
  readonly to: Address | undefined;
  readonly data: Hex;
  readonly value: bigint;
}

export type CallResult =
  | {
      readonly type: "Done";
      readonly output: Hex;
      readonly logs: readonly EmittedLog[];
      readonly gasUsed: bigint;
      readonly contractAddress: Address | undefined;
    }
  | {
      readonly type: "Reverted";
      readonly data: Hex;
      readonly gasUsed: bigint;
    };

interface Account {
  readonly nonce: number;
  readonly balance: bigint;
}

/** No transaction may have more (EIP-7825). */
const TRANSACTION_GAS_MAX = 16_777_216n;

/** Carries out transactions in blocks, and calls on top of them. */
export class Executor {
  readonly contracts: ContractModel;
  readonly #journal: Journal;
  readonly #accounts: Versions<Address, Account>;
  readonly #options: Contracts & {
    readonly chainId: bigint;
    readonly wealth: bigint;
  };

  constructor(
    options: Contracts & { readonly chainId: bigint; readonly wealth: bigint },
    ports: {
      readonly tree: BlockTree;
      readonly journal: Journal;
    } & Pick<GroupState, "recover" | "failureOf">,
  ) {
    this.#options = options;
    this.#journal = ports.journal;
    this.#accounts = new Versions(ports);
    this.contracts = new ContractModel(options, ports);
  }

  accountAt(address: Address, at: Block): Account {
    const { wealth } = this.#options;
    return this.#accounts.get(address, at) ?? { nonce: 0, balance: wealth };
  }

  /** Throws what a node with this head answers if it does not take a transaction. The words are Geth's. */
  requireSendable(
    transaction: ChainTransaction,
    at: Block,
    blockGas: bigint,
  ): void {
    const { chainId } = this.#options;
    const { from, to, nonce, data, gasLimit, maxFee, tip, value } = transaction;
    if (transaction.type === 2 && at.baseFee === undefined)
      throw new PoolRefusal("transaction type not supported");
    if (transaction.chainId !== undefined && transaction.chainId !== chainId)
      throw new PoolRefusal("invalid sender: invalid chain id for signer");
    if (tip > maxFee)
      throw new PoolRefusal(
        `max priority fee per gas higher than max fee per gas: address ${from}, maxPriorityFeePerGas: ${tip}, maxFeePerGas: ${maxFee}`,
      );
    if (gasLimit > blockGas) throw new PoolRefusal("exceeds block gas limit");
    if (gasLimit > TRANSACTION_GAS_MAX)
      throw new PoolRefusal(
        `transaction gas limit too high (cap: ${TRANSACTION_GAS_MAX}, tx: ${gasLimit})`,
      );
    const { gas, floor } = intrinsicGas(data, to === undefined);
    if (gasLimit < gas)
      throw new PoolRefusal(
        `intrinsic gas too low: gas ${gasLimit}, minimum needed ${gas}`,
      );
    if (gasLimit < floor)
      throw new PoolRefusal(
        `insufficient gas for floor data gas cost: gas ${gasLimit}, minimum needed ${floor}`,
      );
    const account = this.accountAt(from, at);
    if (nonce < account.nonce)
      throw new PoolRefusal(
        `nonce too low: next nonce ${account.nonce}, tx nonce ${nonce}`,
      );
    const cost = value + gasLimit * maxFee;
    if (account.balance < cost)
      throw new PoolRefusal(
        `insufficient funds for gas * price + value: address ${from} have ${account.balance} want ${cost}`,
      );
  }

  /** Puts waiting transactions into a block, as many as fit. */
  fill(
    block: Block,
    mempool: Mempool,
    mayInclude: (transaction: ChainTransaction) => boolean,
  ): void {
    const mined: MinedTransaction[] = [];
    let logs = 0;
    mempool.mine(block, {
      nonceOf: (sender) => this.accountAt(sender, block).nonce,
      take: (transaction) => {
        const { from, value, gasLimit, maxFee } = transaction;
        const cost = value + gasLimit * maxFee;
        const fits =
          block.gasUsed + gasLimit <= block.gasLimit &&
          this.accountAt(from, block).balance >= cost;
        if (!fits || !mayInclude(transaction)) return false;
        const one = this.#include(transaction, block, mined.length, logs);
        mined.push(one);
        logs += one.logs.length;
        block.gasUsed = one.cumulativeGas;
        return true;
      },
    });
    block.transactions = mined;
    block.logsBloom = bloomOf(mined.flatMap((one) => one.logs));
    const senders = new Set(mined.map(({ transaction }) => transaction.from));
    for (const sender of senders)
      mempool.prune(sender, this.accountAt(sender, block).nonce);
    this.#journal.clear();
  }

  /** On top of the state of a block. Nothing is left of it. Contracts take `blockNumber` for the number of the block. */
  call(call: Execution, at: Block, blockNumber: number): CallResult {
    const mark = this.#journal.mark;
    const next = new Block({
      number: at.number + 1,
      hash: at.hash,
      parent: at,
      timestamp: at.timestamp,
      baseFee: at.baseFee,
      gasLimit: at.gasLimit,
    });
    const { nonce } = this.accountAt(call.from, at);
    const result = this.#run(call, nonce, next, blockNumber);
    this.#journal.undo(mark);
    return result;
  }

  #include(
    transaction: ChainTransaction,
    block: Block,
    index: number,
    firstLog: number,
  ): MinedTransaction {
    const { from, to, nonce, value, gasLimit, maxFee, tip } = transaction;
    const baseFee = block.baseFee ?? 0n;
    const gasPrice = baseFee + tip < maxFee ? baseFee + tip : maxFee;
    const mark = this.#journal.mark;
    const result = this.#run(transaction, nonce, block, block.number);
    const isOutOfGas = result.gasUsed > gasLimit;
    const isSuccess = result.type === "Done" && !isOutOfGas;
    if (!isSuccess) this.#journal.undo(mark);
    const gasUsed = isOutOfGas ? gasLimit : result.gasUsed;
    const sender = this.accountAt(from, block);
    this.#accounts.set(from, block, {
      nonce: nonce + 1,
      balance: sender.balance - gasUsed * gasPrice - (isSuccess ? value : 0n),
    });
    const receiver = to ?? (result.type === "Done" && result.contractAddress);
    if (isSuccess && value > 0n && receiver) {
      const account = this.accountAt(receiver, block);
      const balance = account.balance + value;
      this.#accounts.set(receiver, block, { ...account, balance });
    }
    return {
      transaction,
      index,
      isSuccess,
      gasUsed,
      cumulativeGas: block.gasUsed + gasUsed,
      gasPrice,
      contractAddress: isSuccess ? result.contractAddress : undefined,
      logs: isSuccess ? result.logs : [],
      firstLog,
      revertData:
        result.type === "Reverted" && !isOutOfGas ? result.data : undefined,
    };
  }

  #run(
    call: Execution,
    nonce: number,
    at: Block,
    blockNumber: number,
  ): CallResult {
    const { from, to, data, value } = call;
    const { gas, floor } = intrinsicGas(data, to === undefined);
    const atLeastFloor = (used: bigint): bigint =>
      used > floor ? used : floor;
    if (to === undefined) {
      const contractAddress = createdAddress(from, nonce);
      this.contracts.create(contractAddress, at);
      const gasUsed = atLeastFloor(gas + runGas(data, []));
      return { type: "Done", output: data, logs: [], gasUsed, contractAddress };
    }
    const outcome = this.contracts.call({
      from,
      to,
      data,
      value,
      at,
      blockNumber,
    });
    const hasCode = byteLength(this.contracts.codeAt(to, at)) > 0;
    const logs = outcome.type === "Done" ? outcome.logs : [];
    const run = hasCode ? runGas(data, logs) : 0n;
    const gasUsed = atLeastFloor(gas + run);
    return outcome.type === "Done"
      ? { ...outcome, gasUsed, contractAddress: undefined }
      : { ...outcome, gasUsed };
  }
}
