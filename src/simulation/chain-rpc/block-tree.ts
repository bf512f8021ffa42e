import type { Block } from "./block.ts";

/** All blocks that ever were, which of them are the chain, and the heads in the order in which they came. */
export class BlockTree {
  /** The chain by number. */
  readonly #chain: Block[] = [];
  readonly #byHash = new Map<string, Block>();
  readonly #heads: Block[] = [];

  constructor(genesis: Block) {
    this.add(genesis);
    this.showHead();
  }

  get head(): Block {
    const head = this.#chain.at(-1);
    if (head === undefined) throw new Error("A chain has a first block.");
    return head;
  }

  /** Heads that nodes may have seen, oldest first. */
  get heads(): readonly Block[] {
    return this.#heads;
  }

  /** Puts a block on top of the head. */
  add(block: Block): void {
    block.since = this.#heads.length;
    this.#chain.push(block);
    this.#byHash.set(block.hash, block);
  }

  /** From now on nodes can see the head. */
  showHead(): void {
    this.#heads.push(this.head);
  }

  /** Takes blocks off the chain, and gives them in ascending order. The first block stays. */
  cut(depth: number): readonly Block[] {
    const height = Math.max(0, this.head.number - depth);
    return this.#chain.splice(height + 1);
  }

  byHash(hash: string): Block | undefined {
    return this.#byHash.get(hash);
  }

  /** The block with a number, as a node sees it whose head is `at`. */
  blockAt(at: Block, number: number): Block | undefined {
    if (number > at.number) return undefined;
    let block = at;
    while (block.number > number && !this.#isOnChain(block)) {
      if (block.parent === undefined) return undefined;
      block = block.parent;
    }
    return block.number === number ? block : this.#chain[number];
  }

  /** Whether `block` is `at`, or below it on the same chain. */
  isBelow(block: Block, at: Block): boolean {
    return block === at || this.blockAt(at, block.number) === block;
  }

  #isOnChain(block: Block): boolean {
    return this.#chain[block.number] === block;
  }
}
