import type { SequencerConfig } from "../../protocol/config.ts";
import { limits } from "../../protocol/limits.ts";
import type { Random } from "../random.ts";

/** What a height can be at the edge of. */
export type HeightRules = Pick<
  SequencerConfig,
  "rangeSizeBlocks" | "validForBlocks"
>;

const absurd = [0, 1, 2 ** 31, Number.MAX_SAFE_INTEGER];

/** Heights: one block before, at and after every boundary that a node looks at, and some that make no sense. */
export function edgeHeights(
  height: number,
  { rangeSizeBlocks, validForBlocks }: HeightRules,
): readonly number[] {
  const start = height - (height % rangeSizeBlocks);
  const edges = [
    height,
    start,
    start + rangeSizeBlocks,
    height + validForBlocks,
    height + 2 * validForBlocks,
    height + limits.aheadBlocks,
  ];
  return [...edges.flatMap(around), ...absurd];
}

/** The last blocks of a bundle that was valid until `validUntil`. */
export function edgeDeadlines(
  height: number,
  validUntil: number,
  { validForBlocks }: HeightRules,
): readonly number[] {
  const edges = [height, validUntil, height + 4 * validForBlocks];
  return [...edges.flatMap(around), ...absurd];
}

/** One of them, and not the true one. */
export function pickOther(
  random: Random,
  edges: readonly number[],
  truth: number,
): number {
  const picked = random.pick(edges);
  return picked === truth ? truth + 1 : picked;
}

function around(block: number): number[] {
  return [block - 1, block, block + 1].filter((one) => one >= 0);
}
