import type { Chain } from "../chain.ts";
import type { SubmitterPorts } from "./ports.ts";

/** Equal answers about a block that is older than all that is remembered. */
const ANSWERS = 3;

/** What is indexed, as far as it is remembered. */
export interface Index {
  readonly height: number;
  readonly isIndexed: SubmitterPorts["isIndexed"];
}

/**
 * Whether a block is one of those that were indexed. The hashes of old ones are not kept: then several answers must agree,
 * and come from a chain that has the last indexed block too. Otherwise it may be a block of another chain.
 */
export async function isIndexedBlock(
  chain: Chain,
  block: { readonly number: number; readonly hash: string },
  { height, isIndexed }: Index,
): Promise<boolean> {
  if (block.number > height) return false;
  const known = isIndexed(block);
  if (known !== undefined) return known;
  for (let answers = 0; answers < ANSWERS; answers++) {
    const header = await chain.header(block.number);
    if (header?.number !== block.number || header.hash !== block.hash)
      return false;
    const head = await chain.header(height);
    if (head?.number !== height || isIndexed(head) !== true) return false;
  }
  return true;
}
