import type { ChainClient } from "../../../src/chain/ports.ts";

/** A JSON-RPC object, as a node answers with it. */
export type Answer = Readonly<Record<string, unknown>>;

/** A block with all that a backend may be asked about it. */
export interface RecordedBlock {
  readonly number: number;
  readonly hash: string;
  /** With whole transactions. */
  readonly block: Answer;
  readonly transactions: readonly Answer[];
  readonly receipts: readonly Answer[];
  readonly parent: RecordedBlock | undefined;
}

/** Where a transaction was, and how it ended there. */
export interface Place {
  readonly block: number;
  readonly blockHash: string;
  readonly isSuccess: boolean;
}

/**
 * Everything that a chain ever showed, with the heads in the order in which they came. Blocks stay here when the chain
 * reorganises: that is how backends can be late.
 */
export class ChainRecord {
  readonly #client: ChainClient;
  readonly #blocks = new Map<string, RecordedBlock>();
  readonly #heads: RecordedBlock[] = [];
  #syncing: Promise<void> = Promise.resolve();

  /** The chain as it is, for instance one in this process. */
  constructor(client: ChainClient) {
    this.#client = client;
  }

  get client(): ChainClient {
    return this.#client;
  }

  /** Heads, oldest first. A reorganisation is one step, as a node takes it. */
  get heads(): readonly RecordedBlock[] {
    return this.#heads;
  }

  /** All blocks in which a transaction ever was, on whichever branch. */
  placesOf(transactionHash: string): readonly Place[] {
    const places: Place[] = [];
    for (const { number, hash, receipts } of this.#blocks.values())
      for (const receipt of receipts)
        if (receipt["transactionHash"] === transactionHash)
          places.push({
            block: number,
            blockHash: hash,
            isSuccess: receipt["status"] === "0x1",
          });
    return places;
  }

  /** Takes up what the chain has done since the last time. */
  async sync(): Promise<void> {
    const syncing = this.#syncing.then(async () => {
      while (!(await this.#takeUp()));
    });
    this.#syncing = syncing.catch(() => undefined);
    await syncing;
  }

  /** False if the chain changed meanwhile. */
  async #takeUp(): Promise<boolean> {
    const before = this.#heads.at(-1);
    const fresh: Answer[] = [];
    let next = await this.#block("latest");
    while (next !== undefined && !this.#blocks.has(String(next["hash"]))) {
      fresh.unshift(next);
      const number = Number(next["number"]);
      if (number === 0) break;
      const parent = await this.#block(`0x${(number - 1).toString(16)}`);
      if (parent?.["hash"] !== next["parentHash"]) return false;
      next = parent;
    }
    if (next === undefined) return false;
    let head = this.#blocks.get(String(next["hash"]));
    const isReorganised = before !== undefined && head !== before;
    for (const block of fresh) {
      const receipts = await this.#receiptsOf(block);
      if (receipts === undefined) return false;
      head = {
        number: Number(block["number"]),
        hash: String(block["hash"]),
        block,
        transactions: transactionsOf(block),
        receipts,
        parent: head,
      };
      this.#blocks.set(head.hash, head);
      if (!isReorganised) this.#heads.push(head);
    }
    if (head !== undefined && this.#heads.at(-1) !== head)
      this.#heads.push(head);
    return true;
  }

  async #block(tag: string): Promise<Answer | undefined> {
    const answer = await this.#client.request("eth_getBlockByNumber", [
      tag,
      true,
    ]);
    return (answer ?? undefined) as Answer | undefined;
  }

  async #receiptsOf(block: Answer): Promise<readonly Answer[] | undefined> {
    const receipts: Answer[] = [];
    for (const { hash } of transactionsOf(block)) {
      const receipt = (await this.#client.request("eth_getTransactionReceipt", [
        hash,
      ])) as Answer | null;
      if (receipt === null || receipt["blockHash"] !== block["hash"])
        return undefined;
      receipts.push(receipt);
    }
    return receipts;
  }
}

function transactionsOf(block: Answer): readonly Answer[] {
  return block["transactions"] as readonly Answer[];
}
