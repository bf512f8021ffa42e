import type { AbiEntry, Json } from "../domains/domain.ts";
import type { ChainClient } from "../chain/ports.ts";
import { decodeEventWith } from "./abi-library.ts";
import type { Format } from "./abi/format.ts";
import { readAbi } from "./abi/parse-abi.ts";
import { hexBytes } from "./abi/read-data.ts";
import { askChain } from "./chain-answers.ts";
import { notSupported, UserError } from "./errors.ts";

/** An event of the base ledger. */
export interface EventView {
  readonly blockNumber: number;
  readonly transactionIndex: number;
  readonly logIndex: number;
  readonly transactionHash: string;
  /** The first topic. */
  readonly signature: string;
}

/** An event, and what it says. */
export interface DecodedEventView extends EventView {
  readonly soliditySignature: string;
  readonly address: string;
  readonly data: Json;
}

interface Log extends EventView {
  readonly address: string;
  readonly topics: readonly Buffer[];
  readonly data: Buffer;
}

/** The base ledger, as far as this node has seen its blocks. */
export class BaseLedger {
  readonly #chain: ChainClient | undefined;
  readonly #height: () => number;

  constructor(ports: {
    readonly chain: ChainClient | undefined;
    readonly height: () => number;
  }) {
    this.#chain = ports.chain;
    this.#height = ports.height;
  }

  height(): number {
    return this.#height();
  }

  /** Empty if the transaction is not known, or has none. */
  async events(hash: string): Promise<readonly EventView[]> {
    return ((await this.#logs(hash)) ?? []).map(eventView);
  }

  /** Throws a {@link UserError} if the transaction is not known. */
  async decodedEvents(
    hash: string,
    entries: readonly AbiEntry[],
    format: Format,
  ): Promise<readonly DecodedEventView[]> {
    const { items } = await readAbi(entries);
    const logs = await this.#logs(hash);
    if (logs === undefined)
      throw new UserError(
        "PD011305",
        `This node has seen no transaction ${hash}`,
      );
    return logs.map((log) => {
      const fitting = items
        .filter(
          ({ key }) => key?.type === "event" && key.selector === log.signature,
        )
        .map(({ definition }) => definition);
      const decoded = decodeEventWith(fitting, log.topics, log.data, format);
      return {
        ...eventView(log),
        soliditySignature: decoded?.signature ?? "",
        address: log.address,
        data: decoded?.data ?? null,
      };
    });
  }

  async #logs(hash: string): Promise<readonly Log[] | undefined> {
    const chain = this.#chain;
    if (chain === undefined) throw notSupported("The base ledger");
    const method = "eth_getTransactionReceipt";
    const receipt = await askChain(
      async () => await chain.request(method, [hash.toLowerCase()]),
    );
    const block = numberOf(fieldOf(receipt, "blockNumber"));
    if (block === undefined || block > this.#height()) return undefined;
    const logs = fieldOf(receipt, "logs");
    return (Array.isArray(logs) ? logs : []).map((log) =>
      parseLog(log, hash.toLowerCase()),
    );
  }
}

function eventView(log: Log): EventView {
  const { blockNumber, transactionIndex, logIndex } = log;
  const { transactionHash, signature } = log;
  return {
    blockNumber,
    transactionIndex,
    logIndex,
    transactionHash,
    signature,
  };
}

function parseLog(log: unknown, transactionHash: string): Log {
  const topics = fieldOf(log, "topics");
  const bytes = (Array.isArray(topics) ? topics : []).map(bytesOf);
  return {
    blockNumber: numberOf(fieldOf(log, "blockNumber")) ?? 0,
    transactionIndex: numberOf(fieldOf(log, "transactionIndex")) ?? 0,
    logIndex: numberOf(fieldOf(log, "logIndex")) ?? 0,
    transactionHash,
    signature: `0x${bytes[0]?.toString("hex") ?? "".padStart(64, "0")}`,
    address: String(fieldOf(log, "address")).toLowerCase(),
    topics: bytes,
    data: bytesOf(fieldOf(log, "data")),
  };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "string" && /^0x[\da-f]+$/i.test(value)
    ? Number(value)
    : undefined;
}

function bytesOf(value: unknown): Buffer {
  return (
    (typeof value === "string" ? hexBytes(value) : undefined) ?? Buffer.alloc(0)
  );
}
