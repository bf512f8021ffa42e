import type { Address } from "../../ledger/index.ts";
import type { Block } from "./block.ts";
import type { ChainTransaction } from "./transaction.ts";

/** What a node refuses a transaction with. */
export class PoolRefusal extends Error {
  override readonly name = "PoolRefusal";
}

/** As Geth: what replaces a transaction offers a tenth more, of both fees. */
const BUMP_PERCENT = 10n;

/** Transactions that wait for a block, in the order in which they came. */
export class Mempool {
  readonly #bySender = new Map<Address, Map<number, ChainTransaction>>();
  readonly #byHash = new Map<string, ChainTransaction>();

  get size(): number {
    return this.#byHash.size;
  }

  /** All that wait, in the order in which they came. */
  get transactions(): readonly ChainTransaction[] {
    return [...this.#byHash.values()];
  }

  byHash(hash: string): ChainTransaction | undefined {
    return this.#byHash.get(hash);
  }

  at(sender: Address, nonce: number): ChainTransaction | undefined {
    return this.#bySender.get(sender)?.get(nonce);
  }

  /** Takes a transaction, or refuses it for the sake of another one. The chain has looked at everything else. */
  add(transaction: ChainTransaction): void {
    const { from, nonce, hash } = transaction;
    if (this.#byHash.has(hash)) throw new PoolRefusal("already known");
    const other = this.at(from, nonce);
    if (other !== undefined) {
      const isMore =
        transaction.maxFee * 100n >= other.maxFee * (100n + BUMP_PERCENT) &&
        transaction.tip * 100n >= other.tip * (100n + BUMP_PERCENT);
      if (!isMore) throw new PoolRefusal("replacement transaction underpriced");
      this.drop(other.hash);
    }
    const own = this.#bySender.get(from) ?? new Map<number, ChainTransaction>();
    own.set(nonce, transaction);
    this.#bySender.set(from, own);
    this.#byHash.set(hash, transaction);
  }

  /** False if it does not wait here. */
  drop(hash: string): boolean {
    const transaction = this.#byHash.get(hash);
    if (transaction === undefined) return false;
    this.#byHash.delete(hash);
    const own = this.#bySender.get(transaction.from);
    own?.delete(transaction.nonce);
    if (own?.size === 0) this.#bySender.delete(transaction.from);
    return true;
  }

  /** The nonce after those that wait in a row from `nonce` on. */
  nextNonce(sender: Address, nonce: number): number {
    const own = this.#bySender.get(sender);
    let next = nonce;
    while (own?.has(next) === true) next++;
    return next;
  }

  /** Drops those whose nonces are used. */
  prune(sender: Address, nonce: number): void {
    const own = this.#bySender.get(sender);
    for (const transaction of own?.values() ?? [])
      if (transaction.nonce < nonce) this.drop(transaction.hash);
  }

  /**
   * Gives one transaction after the other, each the next of its sender: the one that pays most, of equals the first that came.
   * One that is not `taken` holds back all later ones of its sender.
   */
  mine(
    { baseFee = 0n }: Pick<Block, "baseFee">,
    ports: {
      readonly nonceOf: (sender: Address) => number;
      readonly take: (transaction: ChainTransaction) => boolean;
    },
  ): void {
    const order = new Map([...this.#byHash.keys()].map((hash, i) => [hash, i]));
    const orderOf = ({ hash }: ChainTransaction): number =>
      order.get(hash) ?? 0;
    const tipOf = ({ maxFee, tip }: ChainTransaction): bigint =>
      maxFee - baseFee < tip ? maxFee - baseFee : tip;
    const next: ChainTransaction[] = [];
    for (const sender of this.#bySender.keys()) {
      const first = this.at(sender, ports.nonceOf(sender));
      if (first !== undefined) next.push(first);
    }
    for (;;) {
      const best = next.reduce<ChainTransaction | undefined>((found, one) => {
        if (found === undefined) return one;
        const [tip, other] = [tipOf(one), tipOf(found)];
        if (tip !== other) return tip > other ? one : found;
        return orderOf(one) < orderOf(found) ? one : found;
      }, undefined);
      if (best === undefined) return;
      next.splice(next.indexOf(best), 1);
      if (best.maxFee < baseFee || !ports.take(best)) continue;
      const following = this.at(best.from, best.nonce + 1);
      this.drop(best.hash);
      if (following !== undefined) next.push(following);
    }
  }
}
