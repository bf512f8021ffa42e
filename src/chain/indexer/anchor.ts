import type { Chain } from "../chain.ts";
import type { Header } from "../values.ts";
import { ChainMoved } from "../worker.ts";
import type { BlockReference } from "./fork.ts";

/** Nothing that is remembered leads to such a block, so that so many answers must be equal. */
const ANSWERS = 3;

/** The block before one that is older than all that is remembered. */
export async function anchorBelow(
  chain: Chain,
  { number, hash }: Header,
): Promise<BlockReference> {
  const hashes = new Set<string>();
  for (let answers = 0; answers < ANSWERS; answers++) {
    const block = await chain.header(number);
    const parent = await chain.header(number - 1);
    if (block?.hash !== hash || parent?.number !== number - 1)
      throw new ChainMoved("Two answers differ about an old block.");
    hashes.add(parent.hash);
  }
  const [parent] = hashes;
  if (parent === undefined || hashes.size > 1)
    throw new ChainMoved("Two answers differ about an old block.");
  return { number: number - 1, hash: parent };
}
