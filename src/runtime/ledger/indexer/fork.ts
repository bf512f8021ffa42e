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

/**
 * Goes down from a block to the first that is wanted, each time to the parent by its hash, so that all of them are of one
 * chain, whoever answers. Undefined if there is none within `stepsMax`, or a parent is not told.
 */
export async function walkToKnown(
  { chain }: { readonly chain: Chain },
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
    const next = await chain.headerOf(parent);
    if (next?.number !== block.number - 1 || next.hash !== parent)
      throw new ChainMoved("The parent of a block is not there.");
    block = next;
  }
  return undefined;
}
