import { ChainError } from "../ports.ts";
import type { Chain, LogFilter } from "../chain.ts";
import { inParallel } from "../parallel.ts";
import type { ChainLog, Header } from "../values.ts";
import { ChainMoved } from "../worker.ts";
import { indexedTopics, type Watched } from "./blocks.ts";
import { LogBlooms } from "./bloom.ts";

/** Contracts that a request names, at most. Of more, all logs with the right topics are read, and sorted out here. */
const ADDRESSES_MAX = 500;
/** Where a node cannot give all receipts of a block at once, so many are read one by one. */
const SINGLE_RECEIPTS_MAX = 256;
const RECEIPTS_AT_ONCE = 8;
/** Blocks whose logs are read from receipts: they are read again at once, so few are enough. */
const DISTRUSTED_MAX = 64;
/** Of a larger block, and of many blocks, so many answers are read. Any of them may be without logs that are there. */
const ANSWERS_MAX = 4;

/** Reads the logs of blocks, and believes no answer that the block's own header contradicts. */
export class BlockLogs {
  readonly #chain: Chain;
  readonly #blooms = new LogBlooms();
  #hasBlockReceipts = true;
  /** Blocks whose logs were hidden once, although nothing in their headers said so. */
  readonly #distrusted = new Set<number>();
  /** A simulated chain is one process with one view: it is not asked twice. */
  isSingleSource = false;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  /** From now on, the logs of this block are read from receipts. */
  distrust(number: number): void {
    this.#distrusted.add(number);
    const [oldest] = this.#distrusted;
    if (this.#distrusted.size > DISTRUSTED_MAX && oldest !== undefined)
      this.#distrusted.delete(oldest);
  }

  /** All logs of our contracts in a block. */
  async of(header: Header, watched: Watched): Promise<readonly ChainLog[]> {
    if (this.#distrusted.has(header.number))
      return await this.fromReceipts(header);
    const writers = this.#blooms.writersIn(header, watched);
    const filter = filterOf(watched);
    if (writers?.length === 0 || filter.addresses?.length === 0) return [];
    return await this.#complete(
      header,
      watched,
      await this.#logsOf(header, filter),
    );
  }

  /** The same for blocks that no reorganisation reaches, all at once. */
  async between(
    range: readonly [number, number],
    watched: Watched,
  ): Promise<readonly ChainLog[]> {
    const filter = filterOf(watched);
    if (filter.addresses?.length === 0) return [];
    const logs = await this.#chain.logsBetween(range, filter);
    if (this.isSingleSource) return logs;
    // A header for each block would cost too much here. Blocks with logs are compared with theirs, so that no log is invented.
    const all = new Map(logs.map((log) => [keyOf(log), log]));
    for (let answers = 1; answers < ANSWERS_MAX; answers++)
      for (const log of await this.#chain.logsBetween(range, filter))
        all.set(keyOf(log), log);
    return [...all.values()];
  }

  /** Checks an answer about one block. */
  async check(
    header: Header,
    watched: Watched,
    logs: readonly ChainLog[],
  ): Promise<readonly ChainLog[]> {
    if (this.#distrusted.has(header.number))
      return await this.fromReceipts(header);
    return await this.#complete(header, watched, logs);
  }

  async #complete(
    header: Header,
    watched: Watched,
    logs: readonly ChainLog[],
  ): Promise<readonly ChainLog[]> {
    if (logs.some(({ blockHash }) => blockHash !== header.hash))
      throw new ChainMoved("Logs are of another block with the same number.");
    if (this.isSingleSource) return logs;
    const writers = this.#blooms.writersIn(header, watched) ?? [];
    const found = new Set(logs.map(({ address }) => address));
    return writers.every((writer) => found.has(writer))
      ? logs
      : await this.fromReceipts(header, { watched, logs });
  }

  /** The logs as the receipts of all transactions of a block have them. */
  async fromReceipts(
    header: Header,
    told?: { readonly watched: Watched; readonly logs: readonly ChainLog[] },
  ): Promise<readonly ChainLog[]> {
    const { hash, transactions } = header;
    const receipts = await this.#blockReceipts(hash);
    const count = transactions?.length ?? receipts?.length ?? Infinity;
    if (receipts === undefined && count > SINGLE_RECEIPTS_MAX) {
      if (told !== undefined) return await this.#askAgain(header, told);
      throw new ChainError(
        "refused",
        "The chain does not give the receipts of a whole block. Use an endpoint with eth_getBlockReceipts.",
      );
    }
    const all =
      receipts ??
      (await inParallel(transactions ?? [], RECEIPTS_AT_ONCE, async (one) => {
        const receipt = await this.#chain.receiptOf(one);
        if (receipt === undefined)
          throw new ChainMoved("A receipt of a block is not there.");
        return receipt;
      }));
    if (all.length !== count || all.some(({ blockHash }) => blockHash !== hash))
      throw new ChainMoved("Receipts of a block are not there.");
    return all.flatMap(({ logs }) => logs);
  }

  /** Undefined if the chain cannot give them. */
  async #blockReceipts(hash: string): ReturnType<Chain["receiptsOf"]> {
    if (!this.#hasBlockReceipts) return undefined;
    try {
      const receipts = await this.#chain.receiptsOf(hash);
      if (receipts === undefined)
        throw new ChainMoved("The receipts of a block are not there.");
      return receipts;
    } catch (error) {
      if (!(error instanceof ChainError) || error.kind === "unreachable")
        throw error;
      if (!isUnsupported(error)) throw error;
      this.#hasBlockReceipts = false;
      return undefined;
    }
  }

  /** The header may seem to name a contract that wrote nothing. */
  async #askAgain(
    header: Header,
    told: { readonly watched: Watched; readonly logs: readonly ChainLog[] },
  ): Promise<readonly ChainLog[]> {
    const filter = filterOf(told.watched);
    let { logs } = told;
    for (let answers = 1; answers < ANSWERS_MAX; answers++) {
      const again = await this.#logsOf(header, filter);
      if (again.length > logs.length) logs = again;
    }
    return logs;
  }

  /** A backend that does not have the block yet refuses; another one has it. */
  async #logsOf(
    { hash }: Header,
    filter: LogFilter,
  ): Promise<readonly ChainLog[]> {
    try {
      return await this.#chain.logsOf(hash, filter);
    } catch (error) {
      if (error instanceof ChainError && isMissingBlock(error))
        throw new ChainMoved(
          "A block is not there for a request about its logs.",
        );
      throw error;
    }
  }
}

function isMissingBlock({ kind, message }: ChainError): boolean {
  return (
    kind === "refused" &&
    /unknown block|block(hash)? .*not (be )?found|header not found/i.test(
      message,
    )
  );
}

/** Nodes have several codes for methods that they do not have, or do not give to everybody. */
function isUnsupported({ code, message }: ChainError): boolean {
  return (
    code === -32601 ||
    code === -32004 ||
    /not (supported|available|found|whitelisted|allowed)|does not exist|unsupported/i.test(
      message,
    )
  );
}

function keyOf({ blockHash, logIndex }: ChainLog): string {
  return `${blockHash}:${logIndex}`;
}

function filterOf({ groups, factory }: Watched): LogFilter {
  const topics = indexedTopics;
  if (groups.size > ADDRESSES_MAX) return { addresses: undefined, topics };
  const addresses = factory === undefined ? [...groups] : [...groups, factory];
  return { addresses, topics };
}
