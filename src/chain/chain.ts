import { parseBytes32 } from "../ledger/index.ts";
import { type ChainClient, ChainError } from "./ports.ts";
import {
  type BlockReceipt,
  type ChainLog,
  type Header,
  parseBlockReceipts,
  parseCount,
  parseData,
  parseHeader,
  parseLogs,
  parseQuantity,
  parseReceipt,
  readAnswer,
  type Receipt,
  toQuantity,
} from "./values.ts";

/** Which logs are wanted. */
export interface LogFilter {
  /** Who wrote them; undefined for anybody. */
  readonly addresses: readonly string[] | undefined;
  /** The names of the events: any of them. */
  readonly topics: readonly string[];
}

/** A call, or with no `to` the creation of a contract. */
export interface ChainCall {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly data: string;
  readonly value?: bigint | undefined;
  readonly gas?: bigint | undefined;
}

/** Asks a chain, and reads what it answers. All reject with a `ChainError`. */
export class Chain {
  readonly #client: ChainClient;

  constructor(client: ChainClient) {
    this.#client = client;
  }

  async chainId(): Promise<bigint> {
    return readAnswer(parseQuantity, await this.#ask("eth_chainId"));
  }

  /** Undefined if there is no such block. */
  async header(block: number | "latest"): Promise<Header | undefined> {
    const tag = typeof block === "number" ? toQuantity(block) : block;
    const answer = await this.#ask("eth_getBlockByNumber", tag, false);
    return readAnswer(parseHeader, answer);
  }

  /** The block with this hash, whichever chain it is on. Undefined if the node does not have it. */
  async headerOf(hash: string): Promise<Header | undefined> {
    const answer = await this.#ask("eth_getBlockByHash", hash, false);
    return readAnswer(parseHeader, answer);
  }

  /** The name and version of the node's software; empty if it does not tell. */
  async clientVersion(): Promise<string> {
    try {
      const answer = await this.#ask("web3_clientVersion");
      return typeof answer === "string" ? answer : "";
    } catch (error) {
      if (error instanceof ChainError && error.kind === "refused") return "";
      throw error;
    }
  }

  /** The logs of one block, whichever chain it is on. Refused if the node does not have the block. */
  async logsOf(
    blockHash: string,
    filter: LogFilter,
  ): Promise<readonly ChainLog[]> {
    return await this.#logs({ blockHash }, filter);
  }

  async logsBetween(
    [from, to]: readonly [number, number],
    filter: LogFilter,
  ): Promise<readonly ChainLog[]> {
    const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to) };
    return await this.#logs(range, filter);
  }

  /** The receipts of all transactions of a block. Undefined if the node does not have the block. */
  async receiptsOf(
    blockHash: string,
  ): Promise<readonly BlockReceipt[] | undefined> {
    const answer = await this.#ask("eth_getBlockReceipts", blockHash);
    return readAnswer(parseBlockReceipts, answer);
  }

  async receiptOf(transactionHash: string): Promise<Receipt | undefined> {
    const answer = await this.#ask(
      "eth_getTransactionReceipt",
      transactionHash,
    );
    const receipt = readAnswer(parseReceipt, answer);
    const isOther =
      receipt !== undefined &&
      receipt.transactionHash !== transactionHash.toLowerCase();
    if (isOther)
      throw new ChainError(
        "unreachable",
        "The chain answered with the receipt of another transaction.",
      );
    return receipt;
  }

  /** How many transactions an address has sent, as of a block. */
  async transactionCount(
    address: string,
    block: number | "latest" | "pending",
  ): Promise<number> {
    const tag = typeof block === "number" ? toQuantity(block) : block;
    const answer = await this.#ask("eth_getTransactionCount", address, tag);
    return readAnswer(parseCount, answer);
  }

  /** What the call gives. Refused with the reason if it reverts. */
  async call(call: ChainCall, block: number | "latest"): Promise<string> {
    const tag = typeof block === "number" ? toQuantity(block) : block;
    return readAnswer(
      parseData,
      await this.#ask("eth_call", toJson(call), tag),
    );
  }

  /** As if everything on its way had happened, where the node can tell. */
  async estimateGas(call: ChainCall): Promise<bigint> {
    const answer = await this.#ask("eth_estimateGas", toJson(call), "pending");
    return readAnswer(parseQuantity, answer);
  }

  async balanceOf(address: string): Promise<bigint> {
    const answer = await this.#ask("eth_getBalance", address, "latest");
    return readAnswer(parseQuantity, answer);
  }

  async suggestedTip(): Promise<bigint> {
    const answer = await this.#ask("eth_maxPriorityFeePerGas");
    return readAnswer(parseQuantity, answer);
  }

  async gasPrice(): Promise<bigint> {
    return readAnswer(parseQuantity, await this.#ask("eth_gasPrice"));
  }

  async codeAt(address: string): Promise<string> {
    return String(await this.#ask("eth_getCode", address, "latest"));
  }

  /** Resolves if the node took it. */
  async sendRaw(transaction: string): Promise<void> {
    const answer = await this.#ask("eth_sendRawTransaction", transaction);
    readAnswer(parseBytes32, answer);
  }

  async #logs(
    where: Readonly<Record<string, string>>,
    { addresses, topics }: LogFilter,
  ): Promise<readonly ChainLog[]> {
    const answer = await this.#ask("eth_getLogs", {
      ...where,
      ...(addresses && { address: addresses }),
      topics: [topics],
    });
    return readAnswer(parseLogs, answer);
  }

  async #ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return await this.#client.request(method, params);
  }
}

function toJson({ value, gas, ...call }: ChainCall): object {
  return {
    ...call,
    ...(value !== undefined && { value: toQuantity(value) }),
    ...(gas !== undefined && { gas: toQuantity(gas) }),
  };
}
