import { hash as digest } from "node:crypto";

// A tree of hashes as in RFC 9162: a node is the hash of the two below it, and the last one of an odd number goes up as it is.

export const HASH_BYTES = 32;
/** Leaves are hashes of steps, and nobody finds a step whose hash is that of two nodes with this byte before them. */
const INNER = 1;

/** The nodes of one height that are known, by their distance from the left. */
export type Level = Map<number, Buffer>;

/** The nodes of one height as far as they are known, from the leaves upwards. */
export type Levels = readonly Level[];

/** How many nodes there are at each height below the root. */
export function widthsOf(count: number): readonly number[] {
  const widths: number[] = [];
  for (let width = count; width > 1; width = (width + 1) >> 1)
    widths.push(width);
  return widths;
}

/**
 * Adds all nodes above the given ones, up to the root. Undefined unless every given node leads to the root, and none is given that
 * follows from others: so a good root proves all of them.
 */
export function completed(count: number, given: Levels): Levels | undefined {
  const widths = widthsOf(count);
  let level: Level = new Map(given[0]);
  const levels = [level];
  for (const [height, width] of widths.entries()) {
    const above: Level = new Map(given[height + 1]);
    for (const [index, node] of level) {
      const isRight = index % 2 === 1;
      if (isRight && level.has(index - 1)) continue;
      const beside = level.get(index ^ 1);
      const isLastAndOdd = !isRight && index + 1 === width;
      if ((beside === undefined && !isLastAndOdd) || above.has(index >> 1))
        return undefined;
      above.set(index >> 1, beside === undefined ? node : inner(node, beside));
    }
    level = above;
    levels.push(level);
  }
  return levels;
}

/** The nodes beside the way from a leaf to the root, from the leaf upwards. */
export function besideWay(index: number, levels: Levels): readonly Buffer[] {
  return levels.flatMap((level, height) => {
    const beside = level.get((index >> height) ^ 1);
    return beside === undefined ? [] : [beside];
  });
}

const hashed = Buffer.alloc(1 + 2 * HASH_BYTES, INNER);

function inner(left: Buffer, right: Buffer): Buffer {
  left.copy(hashed, 1);
  right.copy(hashed, 1 + HASH_BYTES);
  return digest("sha256", hashed, "buffer");
}
