import { toQuantity } from "../../../chain/values.ts";
import type { Block, EmittedLog, MinedTransaction } from "../block.ts";
import { bloomOf } from "../bloom.ts";
import type { ChainTransaction } from "../transaction.ts";

/** A JSON-RPC object, as a node answers with it. */
export type Answer = Readonly<Record<string, unknown>>;

/** A block in all forms. They are made when somebody asks, and kept: most blocks are asked for by every node. */
interface Forms {
  readonly whole: Answer;
  readonly short: Answer;
  readonly receipts: readonly Answer[];
  readonly logs: readonly LogAnswer[];
}

export interface LogAnswer extends Answer {
  readonly address: string;
  readonly topics: readonly string[];
}

const forms = new WeakMap<Block, Forms>();

const ZERO_HASH = `0x${"00".repeat(32)}`;
const ZERO_ADDRESS = `0x${"00".repeat(20)}`;

function formsOf(block: Block): Forms {
  const known = forms.get(block);
  if (known !== undefined) return known;
  const logs = block.transactions.map((mined) => logsOf(block, mined));
  const transactions = block.transactions.map((mined) =>
    transactionForm(mined.transaction, { block, mined }),
  );
  const header = headerForm(block);
  const made: Forms = {
    whole: { ...header, transactions },
    short: { ...header, transactions: transactions.map(({ hash }) => hash) },
    receipts: block.transactions.map((mined, i) =>
      receiptForm(block, mined, logs[i] ?? []),
    ),
    logs: logs.flat(),
  };
  forms.set(block, made);
  return made;
}

/** A block with its transactions, or with their hashes. */
export function blockForm(block: Block, isWhole: boolean): Answer {
  const { whole, short } = formsOf(block);
  return isWhole ? whole : short;
}

/** The receipts of all transactions of a block. */
export function receiptForms(block: Block): readonly Answer[] {
  return formsOf(block).receipts;
}

/** All logs of a block. */
export function logForms(block: Block): readonly LogAnswer[] {
  return formsOf(block).logs;
}

/** A transaction, in a block or waiting for one. */
export function transactionForm(
  transaction: ChainTransaction,
  place?: { readonly block: Block; readonly mined: MinedTransaction },
): Answer {
  const { type, to, chainId, maxFee, tip, parity } = transaction;
  const isDynamic = type === 2;
  const v = isDynamic
    ? parity
    : chainId === undefined
      ? 27 + parity
      : 2n * chainId + 35n + BigInt(parity);
  return {
    hash: transaction.hash,
    type: toQuantity(type),
    blockHash: place?.block.hash ?? null,
    blockNumber: place === undefined ? null : toQuantity(place.block.number),
    transactionIndex:
      place === undefined ? null : toQuantity(place.mined.index),
    from: transaction.from,
    to: to ?? null,
    nonce: toQuantity(transaction.nonce),
    value: toQuantity(transaction.value),
    input: transaction.data,
    gas: toQuantity(transaction.gasLimit),
    gasPrice: toQuantity(place?.mined.gasPrice ?? maxFee),
    ...(isDynamic && {
      maxFeePerGas: toQuantity(maxFee),
      maxPriorityFeePerGas: toQuantity(tip),
      accessList: [],
      yParity: toQuantity(parity),
    }),
    ...(chainId !== undefined && { chainId: toQuantity(chainId) }),
    v: toQuantity(v),
    r: quantityOf(transaction.r),
    s: quantityOf(transaction.s),
  };
}

function headerForm(block: Block): Answer {
  const { number, parent, baseFee } = block;
  return {
    number: toQuantity(number),
    hash: block.hash,
    parentHash: parent?.hash ?? ZERO_HASH,
    timestamp: toQuantity(block.timestamp),
    gasLimit: toQuantity(block.gasLimit),
    gasUsed: toQuantity(block.gasUsed),
    ...(baseFee !== undefined && { baseFeePerGas: toQuantity(baseFee) }),
    logsBloom: block.logsBloom,
    miner: ZERO_ADDRESS,
    difficulty: "0x0",
    extraData: "0x",
    nonce: "0x0000000000000000",
    mixHash: ZERO_HASH,
    uncles: [],
  };
}

function receiptForm(
  block: Block,
  mined: MinedTransaction,
  logs: readonly LogAnswer[],
): Answer {
  const { transaction } = mined;
  return {
    transactionHash: transaction.hash,
    transactionIndex: toQuantity(mined.index),
    blockHash: block.hash,
    blockNumber: toQuantity(block.number),
    from: transaction.from,
    to: transaction.to ?? null,
    type: toQuantity(transaction.type),
    status: mined.isSuccess ? "0x1" : "0x0",
    gasUsed: toQuantity(mined.gasUsed),
    cumulativeGasUsed: toQuantity(mined.cumulativeGas),
    effectiveGasPrice: toQuantity(mined.gasPrice),
    contractAddress: mined.contractAddress ?? null,
    logs,
    logsBloom: bloomOf(mined.logs),
  };
}

function logsOf(block: Block, mined: MinedTransaction): readonly LogAnswer[] {
  return mined.logs.map((log: EmittedLog, i) => ({
    address: log.address,
    topics: log.topics,
    data: log.data,
    transactionHash: mined.transaction.hash,
    transactionIndex: toQuantity(mined.index),
    blockHash: block.hash,
    blockNumber: toQuantity(block.number),
    blockTimestamp: toQuantity(block.timestamp),
    logIndex: toQuantity(mined.firstLog + i),
    removed: false,
  }));
}

/** Without leading zeros. */
function quantityOf(word: string): string {
  return `0x${word.slice(2).replace(/^0+(?=.)/, "")}`;
}
