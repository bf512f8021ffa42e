import type { Address } from "../../ledger/index.ts";
import { ChainError } from "../ports.ts";
import type { Submissions } from "../../store/submissions.ts";
import type { Chain } from "../chain.ts";
import { ChainMoved } from "../worker.ts";

/** No address has sent so many. */
const COUNT_MAX = 2 ** 32;
/** A count that is so much higher than expected must be told more than once. */
const JUMP_MAX = 10_000;
const JUMP_ANSWERS = 3;
/** So many lower counts in a row, and the higher one before them was wrong. */
const LOWER_MAX = 10;

/** How many transactions one address has sent. Backends may be late, or answer with nonsense. */
export class Counts {
  readonly #address: Address;
  readonly #chain: Chain;
  readonly #submissions: Submissions;
  /** The count never falls, unless the chain takes blocks back. */
  #least: number;
  #lower = 0;

  constructor(
    { address }: { readonly address: Address },
    ports: { readonly chain: Chain; readonly submissions: Submissions },
  ) {
    this.#address = address;
    this.#chain = ports.chain;
    this.#submissions = ports.submissions;
    this.#least = this.#submissions.usedOf(address);
  }

  /** The chain took blocks back. */
  reset(): void {
    this.#least = this.#submissions.usedOf(this.#address);
  }

  /** As of an indexed block: a node that does not have it refuses, and so never misleads. */
  async at(height: number): Promise<number> {
    const least = this.#least;
    const count = await this.#ask(height, least);
    if (count < least) {
      if (++this.#lower >= LOWER_MAX) this.reset();
      throw new ChainMoved(
        `The chain tells of ${count} transactions of ${this.#address} by block ${height}, and told of ${least} before: a node behind its address is late.`,
      );
    }
    this.#lower = 0;
    // A reorganisation may have come in between.
    if (least === this.#least) this.#least = count;
    return count;
  }

  /** With those that wait for a block. Of a node that is late it is too low. */
  async pending(count: number): Promise<number> {
    return await this.#ask("pending", count);
  }

  async #ask(block: number | "pending", expected: number): Promise<number> {
    const ask = async (): Promise<number> =>
      await this.#chain.transactionCount(this.#address, block);
    const count = await ask();
    if (count <= expected + JUMP_MAX) return count;
    for (let answers = 1; answers < JUMP_ANSWERS; answers++) {
      const again = await ask();
      const isSame = count <= COUNT_MAX && again >= count;
      if (!isSame)
        throw new ChainError(
          "unreachable",
          `The chain says that ${this.#address} has sent ${count} transactions, which cannot be.`,
        );
    }
    return count;
  }
}
