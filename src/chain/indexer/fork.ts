import type { Chain } from "../chain.ts";
import type { Header } from "../values.ts";
import { ChainMoved } from "../worker.ts";
import { parentOf } from "./parents.ts";

/** A block that was indexed. */
export interface BlockReference {
  readonly number: number;
  readonly hash: string;
}

/**
 * The highest indexed block at or below `height` that is still on the chain; -1 if none is. Below it all are, above it
 * none is, so a few questions suffice, also when very much is gone.
 */
export async function findFork(
  chain: Chain,
  height: number,
  knownAt: (height: number) => BlockReference | undefined,
): Promise<number> {
  const isOnChain = async ({
    number,
    hash,
  }: BlockReference): Promise<boolean> => {
    const header = await chain.header(number);
    if (header === undefined)
      throw new ChainMoved("A block below the head is not there.");
    return header.hash === hash;
  };

  let gone = height + 1;
  let good = -1;
  for (let step = 1; ; step *= 2) {
    const probe = knownAt(Math.max(gone - step, 0));
    if (probe === undefined) break;
    if (await isOnChain(probe)) {
      good = probe.number;
      break;
    }
    gone = probe.number;
    if (gone === 0) return -1;
  }
  for (;;) {
    const middle = knownAt(Math.floor((good + gone) / 2));
    const probe =
      middle === undefined || middle.number <= good
        ? knownAt(gone - 1)
        : middle;
    if (probe === undefined || probe.number <= good) return good;
    if (await isOnChain(probe)) good = probe.number;
    else gone = probe.number;
  }
}

/** Headers that a walk has passed, by hash; oldest first. */
const WALKED_MAX = 1_024;
/** So often a parent is asked for before the look ends. */
const ANSWERS_MAX = 3;

/** Goes down branches, from parent to parent. */
export class BranchWalk {
  readonly #chain: Chain;
  /** A hash names one block forever, so what was read in one look need not be read in the next. */
  readonly #walked = new Map<string, Header>();

  constructor(ports: { readonly chain: Chain }) {
    this.#chain = ports.chain;
  }

  /**
   * Goes down from a block to the first that is wanted, each time to the parent by its hash, so that all of them are of one
   * chain, whoever answers. Undefined if there is none within `stepsMax`, or a parent is not told. Where one request in a
   * few fails, the next look goes on where this one ended.
   */
  async toKnown(
    from: Header,
    options: {
      readonly stepsMax: number;
      readonly isWanted: (block: BlockReference) => boolean;
    },
  ): Promise<
    { readonly number: number; readonly passed: readonly string[] } | undefined
  > {
    const passed: string[] = [];
    let block = from;
    for (let steps = 0; steps <= options.stepsMax; steps++) {
      if (options.isWanted(block)) return { number: block.number, passed };
      passed.push(block.hash);
      const parent = parentOf(block);
      if (parent === undefined || block.number === 0) return undefined;
      block = await this.#parent(parent, block.number - 1);
    }
    return undefined;
  }

  async #parent(hash: string, number: number): Promise<Header> {
    const known = this.#walked.get(hash);
    if (known?.number === number) return known;
    const header = await this.#read(hash, number);
    this.#walked.set(hash, header);
    const [oldest] = this.#walked.keys();
    if (this.#walked.size > WALKED_MAX && oldest !== undefined)
      this.#walked.delete(oldest);
    return header;
  }

  /** One backend may not have the block, where another one has. */
  async #read(hash: string, number: number): Promise<Header> {
    for (let answers = 0; answers < ANSWERS_MAX; answers++) {
      const header = await this.#chain.headerOf(hash);
      if (header?.number === number && header.hash === hash) return header;
    }
    throw new ChainMoved("The parent of a block is not there.");
  }
}
