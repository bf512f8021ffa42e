import type { Event, LedgerFact } from "../protocol/events.ts";
import type { IntentId } from "../protocol/ids.ts";
import type { IntentRecord } from "../protocol/records.ts";
import type { Block, Chain } from "./chain.ts";
import type { Book } from "./domains/domain.ts";

/** What one node has seen of the chain. Durable, together with what its turns save. */
export class ChainView {
  /** By height. */
  readonly #blocks: Block[] = [];
  /** Intents that were confirmed, as they were saved: a deep reorganisation opens them again. */
  readonly #confirmed = new Map<IntentId, IntentRecord>();
  /** Intents that ended as reverted, as they were saved: if a block fulfils one, its receipt is corrected. */
  readonly #reverted = new Map<IntentId, IntentRecord>();
  readonly #chain: Chain;
  readonly #book: Book;

  constructor(ports: { readonly chain: Chain; readonly book: Book }) {
    this.#chain = ports.chain;
    this.#book = ports.book;
    const [genesis] = ports.chain.blocks;
    if (genesis !== undefined) this.#see(genesis);
  }

  get height(): number {
    return this.#blocks.length - 1;
  }

  /** An intent was saved. */
  remember(record: IntentRecord): void {
    const { id } = record.intent;
    if (record.receipt?.type === "Confirmed") this.#confirmed.set(id, record);
    else this.#confirmed.delete(id);
    if (record.receipt?.type === "Reverted") this.#reverted.set(id, record);
    else this.#reverted.delete(id);
  }

  /** The block that an event is about; undefined if none is; "stale" if the view has moved on meanwhile. */
  blockOf(event: Event): Block | number | "stale" | undefined {
    if (event.type === "BlocksReverted")
      return event.height < this.height ? event.height : "stale";
    if (event.type !== "BlockSeen") return undefined;
    const block = this.#chain.blocks[event.height];
    return block === undefined ||
      event.height !== this.height + 1 ||
      block.facts !== event.facts
      ? "stale"
      : block;
  }

  /** What an indexer finds next: a block, or that the chain it saw was replaced. */
  next(heightMax: number): Event | undefined {
    const { blocks } = this.#chain;
    let common = this.height;
    while (common > 0 && this.#blocks[common] !== blocks[common]) common--;
    if (common < this.height) {
      const facts: LedgerFact[] = [];
      for (const block of this.#blocks.slice(common + 1))
        facts.push(...block.facts);
      const reopened = [...this.#confirmed.values()].filter(
        ({ receipt }) =>
          receipt?.type === "Confirmed" && receipt.block > common,
      );
      return { type: "BlocksReverted", height: common, facts, reopened };
    }
    const next = blocks[this.height + 1];
    if (next === undefined || next.height > heightMax) return undefined;
    const { height, facts } = next;
    const contradicted = facts.flatMap(({ intents }) =>
      intents.flatMap((id) => this.#reverted.get(id) ?? []),
    );
    return { type: "BlockSeen", height, facts, contradicted };
  }

  /** Takes a block in, or goes back to a height. */
  move(to: Block | number): void {
    if (typeof to === "number") this.#forget(to);
    else this.#see(to);
  }

  #see(block: Block): void {
    this.#blocks.push(block);
    this.#book.see(block);
  }

  #forget(height: number): void {
    while (this.height > height) {
      const block = this.#blocks.pop();
      if (block !== undefined) this.#book.forget(block);
    }
  }
}
