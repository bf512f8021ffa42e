import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

import type { NodeName } from "./ids.ts";
import type { Candidates } from "./selection.ts";

/** What the ring ranks. */
export type RingSelection = Candidates & { readonly range: number };

/** Where nodes and ranges stand on a circle, in degrees. */
export interface RingPositions {
  readonly node: (name: NodeName) => number;
  readonly range: (selection: RingSelection) => number;
}

const hashed: RingPositions = {
  node: (name) => degrees(name),
  range: ({ contract, range }) => degrees(`${contract}|${range}`),
};

/**
 * The committee in order of distance on a hash ring: the node nearest to the position of the range comes first.
 *
 * Simple to picture, but not fair: a node's share is the width of its neighbourhood. `rankCoordinators` is.
 */
export function rankOnRing(
  selection: RingSelection,
  positions: RingPositions = hashed,
): NodeName[] {
  const target = positions.range(selection);
  return [...new Set(selection.committee)]
    .map((name) => ({ name, distance: distance(positions.node(name), target) }))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

function distance(from: number, to: number): number {
  const turn = Math.abs(from - to) % 360;
  return Math.min(turn, 360 - turn);
}

function degrees(text: string): number {
  const [a = 0, b = 0, c = 0, d = 0] = sha256(utf8ToBytes(text));
  return ((((a << 24) | (b << 16) | (c << 8) | d) >>> 0) / 2 ** 32) * 360;
}
