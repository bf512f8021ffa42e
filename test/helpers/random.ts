import { type Bytes32, parseBytes32 } from "../../src/ledger/index.ts";

/** A source of numbers that are the same for the same seed. */
export interface Random {
  /** From 0 to `count - 1`. */
  readonly below: (count: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  readonly shuffle: <Item>(items: readonly Item[]) => readonly Item[];
  readonly bytes32: () => Bytes32;
}

/** splitmix32 behind a few words. */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const below = (count: number): number => next() % count;
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[below(items.length)];
    if (item === undefined) throw new Error("There is nothing to pick from.");
    return item;
  };
  return {
    below,
    chance: (probability) => next() < probability * 2 ** 32,
    pick,
    shuffle: (items) =>
      items
        .map((item) => ({ item, rank: next() }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ item }) => item),
    bytes32: () =>
      parseBytes32(
        `0x${Array.from({ length: 8 }, () => next().toString(16).padStart(8, "0")).join("")}`,
      ),
  };
}
