import { type Shape, sketchOf } from "../../../src/protocol/shape.ts";
import type { Random } from "../random.ts";

/** Values that are kept for one field. */
const HEARD_MAX = 500;

/** Values of the smallest shapes: what honest nodes said, and what comes to mind. */
export class Vocabulary {
  readonly #random: Random;
  readonly #names: readonly string[];
  /** By the name of the field in which they were heard. */
  readonly #heard = new Map<string, unknown[]>();
  readonly #kindsOf = new Map<Shape<unknown>, readonly (() => unknown)[]>();

  constructor(
    options: { readonly names: readonly string[] },
    ports: { readonly random: Random },
  ) {
    this.#names = options.names;
    this.#random = ports.random;
  }

  /** Remembers the value of a field. */
  hear(field: string, value: unknown): void {
    const heard = this.#heard.get(field) ?? [];
    this.#heard.set(field, heard);
    if (heard.length < HEARD_MAX) heard.push(value);
    else if (this.#random.chance(0.2))
      heard[this.#random.below(HEARD_MAX)] = value;
  }

  /** A value of a shape that is not made of others. Throws if it knows none: then it has to learn a new kind. */
  word(shape: Shape<unknown>, field: string): unknown {
    const random = this.#random;
    const heard = this.#heard.get(field) ?? [];
    for (let tries = 0; heard.length > 0 && tries < 3; tries++) {
      if (!random.chance(0.8)) break;
      const value = near(random.pick(heard), random);
      if (shape(value) !== undefined) return value;
    }
    for (let tries = 0; tries < 100; tries++) {
      const value = random.pick(this.#kindsFor(shape, field))();
      if (shape(value) !== undefined) return value;
    }
    throw new Error(`The liar knows no value for the field ${field}.`);
  }

  #kindsFor(shape: Shape<unknown>, field: string): readonly (() => unknown)[] {
    const known = this.#kindsOf.get(shape);
    if (known !== undefined) return known;
    const fitting = this.#kinds().filter((make) =>
      Array.from({ length: 20 }, make).some(
        (value) => shape(value) !== undefined,
      ),
    );
    if (fitting.length === 0 || sketchOf(shape) !== undefined)
      throw new Error(`The liar knows no kind of value for ${field}.`);
    this.#kindsOf.set(shape, fitting);
    return fitting;
  }

  #kinds(): readonly (() => unknown)[] {
    const random = this.#random;
    const hex = (bytes: number): string =>
      `0x${random
        .bytes32()
        .slice(2)
        .repeat(5)
        .slice(0, 2 * bytes)}`;
    return [
      () => random.pick([0, 1, 5, 20, 60, 1_000_000, 2 ** 53 - 1]),
      () => random.chance(0.5),
      () => random.pick([random.bytes32(), hex(32), `0x${"00".repeat(32)}`]),
      () => random.pick([...this.#names, "mallory", "x"]),
      () => `${random.pick([...this.#names])}:1:${random.below(1_000)}`,
      () => hex(20),
      () => hex(1 + random.below(64)),
      () => `0x04${hex(64).slice(2)}`,
      () => random.pick<object>([{}, { constructor: "x" }]),
      () =>
        random.pick([
          "",
          "{}",
          "[",
          "null",
          "AAAA",
          '{"__proto__":{"polluted":true}}',
          '{"type":"mint","to":"__proto__","amount":"99999999999999999999"}',
        ]),
    ];
  }
}

/** Numbers are most dangerous next to those that are right. */
function near(value: unknown, random: Random): unknown {
  return typeof value === "number" && random.chance(0.5)
    ? value + random.pick([-1, 1, 2])
    : value;
}
