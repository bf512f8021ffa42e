import type { Chain } from "../chain.ts";
import { ChainMoved } from "../worker.ts";

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
