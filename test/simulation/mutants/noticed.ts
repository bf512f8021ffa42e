import { readFileSync, writeFileSync } from "node:fs";

/** In which seed each sabotage was noticed when it was last looked for. It may be another one since. */
export class Noticed {
  readonly #file: URL;
  readonly #hints: Readonly<Record<string, number>>;

  constructor(file: URL) {
    this.#file = file;
    this.#hints = JSON.parse(readFileSync(file, "utf8")) as Readonly<
      Record<string, number>
    >;
  }

  /** All seeds from 1 on, the likely one first unless all are to be looked at in order. */
  seedsFor(name: string, seedsMax: number): readonly number[] {
    const seeds = Array.from({ length: seedsMax }, (_, i) => i + 1);
    const hint = this.#hints[name];
    return hint === undefined || isInOrder
      ? seeds
      : [hint, ...seeds.filter((seed) => seed !== hint)];
  }

  /** Writes down what was found, if that is wanted. */
  save(caught: ReadonlyMap<string, number>): void {
    if (!isToBeUpdated) return;
    const text = JSON.stringify(Object.fromEntries(caught), null, 2);
    writeFileSync(this.#file, `${text}\n`);
  }
}

const isToBeUpdated = process.env["UPDATE_NOTICED"] !== undefined;
/** Every sabotage is looked for from the first seed on. */
const isInOrder = isToBeUpdated || process.env["ALL_SEEDS"] !== undefined;
