import type { UserBook } from "../../api/book.ts";
import type { ReceiptView } from "../../api/shapes.ts";
import { Violation, violation } from "../violation.ts";

type Told = Pick<
  ReceiptView,
  "id" | "sequence" | "success" | "transactionHash" | "failureMessage"
>;

/** The only receipt listener of a node. */
export const LISTENER = "all";

/** Rows that are compared with what a listener got. A run has far fewer. */
const ROWS_MAX = 100_000;

/** All that one node has told its users. It must still hold after a crash, because nothing is told before it is durable. */
export class ToldAnswers {
  /** Ids of transactions, by their idempotency keys. */
  readonly #ids = new Map<string, string>();
  /** The receipts that hold now, by transaction. */
  readonly #receipts = new Map<string, Told>();
  readonly #bySequence = new Map<number, Told>();
  readonly #delivered = new Set<number>();
  /** Up to this receipt all were acknowledged, and that is durable. */
  #certain = 0;
  /** The last receipt that was acknowledged. */
  #acknowledged = 0;
  /** The same, since the node started. */
  #acknowledgedNow = 0;
  /** Until the node starts with the database that it has instead. */
  #hasForgotten = false;

  readonly #isFinal: () => boolean;

  constructor(ports: {
    /** Whether the chain has told every node the truth up to now, and never took a block back. */
    readonly isFinal: () => boolean;
  }) {
    this.#isFinal = ports.isFinal;
  }

  /** S50: whoever asks again with the same key gets the same transaction. */
  id(key: string, id: string): void {
    const known = this.#ids.get(key);
    if (known !== undefined && known !== id)
      throw violation("S50", key, `is ${id}, and was ${known}`);
    this.#ids.set(key, id);
  }

  /** S14: a receipt with a number stays what it is. S48: what has failed does not happen later. */
  receipt(told: Told): void {
    const known = this.#bySequence.get(told.sequence);
    if (known !== undefined && textOf(known) !== textOf(told))
      throw violation(
        "S14",
        told.id,
        `has receipt ${told.sequence}: ${textOf(told)}, which was ${textOf(known)}`,
      );
    this.#bySequence.set(told.sequence, told);
    const last = this.#receipts.get(told.id);
    const hasFailed = last !== undefined && last.success !== true;
    if (hasFailed && told.success === true && this.#isFinal())
      throw violation("S48", told.id, "had failed, and happened after all");
    if (last === undefined || last.sequence < told.sequence)
      this.#receipts.set(told.id, told);
  }

  /** S51: a listener gets all receipts in order, and none twice but those that were not acknowledged. */
  batch(told: readonly Told[], book: UserBook): void {
    let last = this.#certain;
    for (const one of told) {
      if (one.sequence <= last)
        throw new Violation("S51", `receipt ${one.sequence} comes again`);
      last = one.sequence;
      this.#delivered.add(last);
    }
    const first = told[0]?.sequence ?? 0;
    if (first <= this.#acknowledgedNow)
      throw new Violation("S51", `receipt ${first} was acknowledged`);
    if (first > this.#acknowledged) this.#certain = this.#acknowledged;
    for (const one of told) this.receipt(one);
    for (const { sequence } of book.receipts.after(0, {}, ROWS_MAX).receipts)
      if (sequence <= last && !this.#delivered.has(sequence))
        throw new Violation("S51", `receipt ${sequence} was left out`);
  }

  /** The batch that ends with this receipt was acknowledged. */
  acknowledge(sequence: number): void {
    this.#acknowledged = Math.max(this.#acknowledged, sequence);
    this.#acknowledgedNow = this.#acknowledged;
  }

  /** A reorganisation took the block of a receipt back. */
  takeBack(id: string): void {
    this.#receipts.delete(id);
  }

  /** S12 and S14: a node that has started again knows all that it told. */
  restarted(book: UserBook): void {
    this.#acknowledgedNow = 0;
    if (this.#hasForgotten) this.#adopt(book);
    for (const [key, id] of this.#ids)
      if (book.transactions.byIdempotencyKey(key)?.id !== id)
        throw violation("S12", id, "was accepted, and the node lost it");
    for (const [id, told] of this.#receipts) {
      const sequence = book.receipts.byTransaction(id)?.sequence ?? 0;
      if (sequence < told.sequence)
        throw violation(
          "S14",
          id,
          `had receipt ${told.sequence}, and the node lost it`,
        );
    }
  }

  /** Whether a transaction has a receipt that somebody saw. */
  has(id: string): boolean {
    return this.#receipts.has(id);
  }

  /** Whether the listener got every receipt that there is. */
  hasAll(book: UserBook): boolean {
    return book.receipts
      .after(0, {}, ROWS_MAX)
      .receipts.every(({ sequence }) => this.#delivered.has(sequence));
  }

  /** The node may have begun again with an old backup: its listener does not get what was acknowledged before that. */
  #adopt({ listeners, receipts }: UserBook): void {
    const checkpoint = listeners.checkpointOf(LISTENER);
    for (const { sequence } of receipts.after(0, {}, ROWS_MAX).receipts)
      if (sequence <= checkpoint) this.#delivered.add(sequence);
    this.#hasForgotten = false;
  }

  /** The node lost its database, and with it all that it told. */
  forget(): void {
    this.#hasForgotten = true;
    this.#ids.clear();
    this.#receipts.clear();
    this.#bySequence.clear();
    this.#delivered.clear();
    this.#certain = 0;
    this.#acknowledged = 0;
    this.#acknowledgedNow = 0;
  }
}

function textOf({
  id,
  success,
  transactionHash,
  failureMessage,
}: Told): string {
  return `${id} ${success === true ? "success" : "failure"} ${transactionHash ?? ""} ${failureMessage ?? ""}`;
}
