/**
 * A seeded source of numbers (sfc32). The same seed gives the same numbers on every machine. Each part of a simulation
 * has its own stream, so that a change in one does not shift the draws of the others.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number, stream = "") {
    let hash = 0x811c9dc5;
    for (let i = 0; i < stream.length; i++)
      hash = Math.imul(hash ^ stream.charCodeAt(i), 0x01000193);
    this.#a = hash | 0;
    this.#b = seed | 0;
    this.#c = Math.floor(seed / 2 ** 32) | 0;
    for (let i = 0; i < 12; i++) this.word();
  }

  /** 32 bits. */
  word(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** At least 0, less than 1. */
  fraction(): number {
    return this.word() / 2 ** 32;
  }

  /** A whole number from 0 to `count - 1`. */
  below(count: number): number {
    return Math.floor(this.fraction() * count);
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** True with this probability. Draws nothing when the answer is certain. */
  chance(probability: number): boolean {
    return probability > 0 && this.fraction() < probability;
  }

  /** A whole number with this mean and a long tail, at most 20 times the mean. */
  tail(mean: number): number {
    return Math.min(
      mean * 20,
      Math.floor(-Math.log(1 - this.fraction()) * mean),
    );
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("There is nothing to pick from.");
    return item;
  }

  shuffle<Item>(items: readonly Item[]): Item[] {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      const item = shuffled[last];
      const swapped = shuffled[other];
      if (item === undefined || swapped === undefined) break;
      shuffled[last] = swapped;
      shuffled[other] = item;
    }
    return shuffled;
  }
}
