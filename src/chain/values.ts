import {
  type Address,
  type Bytes32,
  type Hex,
  LedgerInputError,
  parseAddress,
  parseBytes32,
  parseHex,
} from "../ledger/index.ts";
import { ChainError } from "./ports.ts";

/** A block, without its transactions. */
export interface Header {
  readonly number: number;
  readonly hash: Bytes32;
  readonly parentHash: Bytes32;
  readonly timestamp: number;
  /** Undefined on a chain without EIP-1559. Its nodes leave it out, or say null. */
  readonly baseFee: bigint | undefined;
  /** A filter of all addresses and topics of its logs, not checked; some chains have none. */
  readonly logsBloom?: string | undefined;
  /** The hashes of its transactions, if the node tells them. */
  readonly transactions?: readonly string[] | undefined;
}

/** A log with its place on the chain. */
export interface ChainLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly transactionHash: Bytes32;
  readonly transactionIndex: number;
  readonly blockNumber: number;
  readonly blockHash: Bytes32;
  readonly logIndex: number;
}

/** What became of a transaction that is in a block. */
export interface Receipt {
  readonly transactionHash: Bytes32;
  readonly blockNumber: number;
  readonly blockHash: Bytes32;
  readonly transactionIndex: number;
  readonly isSuccess: boolean;
  readonly gasUsed: bigint;
  /** What it created. */
  readonly contractAddress: Address | undefined;
  readonly logs: readonly ChainLog[];
}

/** As much of a receipt as its block's logs need. */
export type BlockReceipt = Pick<
  Receipt,
  "transactionHash" | "blockHash" | "logs"
>;

/** Reads what a node answered. A node that answers with nonsense is as good as unreachable. */
export function readAnswer<Value>(
  read: (value: unknown) => Value,
  value: unknown,
): Value {
  try {
    return read(value);
  } catch (error) {
    if (error instanceof LedgerInputError)
      throw new ChainError("unreachable", "The chain answered with nonsense.", {
        cause: error,
      });
    throw error;
  }
}

/** A block; undefined if the node does not have it. */
export function parseHeader(value: unknown): Header | undefined {
  if (value === null) return undefined;
  const field = fieldsOf(value);
  const baseFee = field("baseFeePerGas");
  return {
    number: parseCount(field("number")),
    hash: parseBytes32(field("hash")),
    parentHash: parseBytes32(field("parentHash")),
    timestamp: parseCount(field("timestamp")),
    baseFee:
      baseFee === undefined || baseFee === null
        ? undefined
        : parseQuantity(baseFee),
    logsBloom: textOf(field("logsBloom")),
    transactions: textsOf(field("transactions")),
  };
}

/** The receipts of a block; undefined if the node does not have it. */
export function parseBlockReceipts(
  value: unknown,
): readonly BlockReceipt[] | undefined {
  if (value === null) return undefined;
  if (!Array.isArray(value)) throw nonsense();
  return value.map((receipt: unknown) => {
    const field = fieldsOf(receipt);
    return {
      transactionHash: parseBytes32(field("transactionHash")),
      blockHash: parseBytes32(field("blockHash")),
      logs: parseLogs(field("logs")),
    };
  });
}

export function parseLogs(value: unknown): readonly ChainLog[] {
  if (!Array.isArray(value)) throw nonsense();
  return value.map(parseLog);
}

/** A receipt; undefined while the transaction is in no block. */
export function parseReceipt(value: unknown): Receipt | undefined {
  if (value === null) return undefined;
  const field = fieldsOf(value);
  const contract = field("contractAddress") ?? undefined;
  return {
    transactionHash: parseBytes32(field("transactionHash")),
    blockNumber: parseCount(field("blockNumber")),
    blockHash: parseBytes32(field("blockHash")),
    transactionIndex: parseCount(field("transactionIndex")),
    isSuccess: parseQuantity(field("status")) === 1n,
    gasUsed: parseQuantity(field("gasUsed")),
    contractAddress:
      contract === undefined ? undefined : parseAddress(contract),
    logs: parseLogs(field("logs")),
  };
}

export function parseQuantity(value: unknown): bigint {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{1,64}$/.test(value))
    throw nonsense();
  return BigInt(value);
}

/** A quantity that is small enough to count with. */
export function parseCount(value: unknown): number {
  const count = Number(parseQuantity(value));
  if (!Number.isSafeInteger(count)) throw nonsense();
  return count;
}

/** A number, as JSON-RPC writes it. */
export function toQuantity(value: number | bigint): Hex {
  return `0x${value.toString(16)}` as Hex;
}

function parseLog(value: unknown): ChainLog {
  const field = fieldsOf(value);
  const topics = field("topics");
  const address = field("address");
  if (!Array.isArray(topics) || typeof address !== "string") throw nonsense();
  return {
    address: address.toLowerCase(),
    topics: topics.map((topic) => parseBytes32(topic)),
    data: parseData(field("data")),
    transactionHash: parseBytes32(field("transactionHash")),
    transactionIndex: parseCount(field("transactionIndex")),
    blockNumber: parseCount(field("blockNumber")),
    blockHash: parseBytes32(field("blockHash")),
    logIndex: parseCount(field("logIndex")),
  };
}

/** What contracts of others say may be longer than what ours do. */
export function parseData(value: unknown): string {
  return typeof value === "string" && value.length > 262_146
    ? value
    : parseHex(value);
}

function fieldsOf(value: unknown): (name: string) => unknown {
  if (typeof value !== "object" || value === null) throw nonsense();
  return (name) => Reflect.get(value, name) as unknown;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === "string")
    ? value
    : undefined;
}

function nonsense(): LedgerInputError {
  return new LedgerInputError("INVALID_VALUE", "It has the wrong shape.");
}
