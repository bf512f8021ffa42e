import {
  type Fields,
  type Shape,
  type Sketch,
  sketchOf,
} from "../../../src/protocol/shape.ts";
import type { Random } from "../random.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Makes and changes values of any shape that messages have, whatever fields they get. */
export interface Values {
  /** A value of a shape. */
  readonly make: (shape: Shape<unknown>, field?: string) => unknown;
  /** The value with something in it changed, as its shape allows. */
  readonly twist: (shape: Shape<unknown>, value: unknown) => unknown;
  /** Learns the values of all fields. */
  readonly hear: (
    shape: Shape<unknown>,
    value: unknown,
    field?: string,
  ) => void;
}

interface Ports {
  readonly random: Random;
  readonly vocabulary: Vocabulary;
  /** Makes an object more believable, for example by a signature that fits. */
  readonly believable: (
    value: Readonly<Record<string, unknown>>,
  ) => Readonly<Record<string, unknown>>;
}

/** Elements of a list that are looked into: in a list of a hundred, others are not different. */
const ELEMENTS_MAX = 8;

/** A part of a value that can be made anew. */
interface Spot {
  readonly shape: Shape<unknown>;
  readonly field: string;
  readonly path: readonly (string | number)[];
}

export function createValues({
  random,
  vocabulary,
  believable,
}: Ports): Values {
  const make = (shape: Shape<unknown>, field = ""): unknown => {
    const sketch = sketchOf(shape);
    switch (sketch?.kind) {
      case undefined:
        return vocabulary.word(shape, field);
      case "word":
        return random.pick(sketch.words);
      case "list":
        return Array.from({ length: random.pick([0, 1, 1, 2, 4]) }, () =>
          make(sketch.of, field),
        );
      case "union":
        return make(random.pick(Object.values(sketch.kinds)), field);
      case "object":
        return believable(makeObject(sketch.fields));
    }
  };
  const makeObject = (fields: Fields): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        if (typeof field === "function") return [name, make(field, name)];
        const isThere = random.chance(0.5);
        return [name, isThere ? make(field.maybe, name) : undefined];
      }),
    );
  const change = ({ shape, field }: Spot, value: unknown): unknown => {
    if (!Array.isArray(value) || random.chance(0.3)) return make(shape, field);
    const items = value as readonly unknown[];
    const at = random.below(items.length + 1);
    return random.pick([
      () => items.toSpliced(at, 1),
      () => items.toSpliced(at, 0, ...items.slice(at, at + 1)),
      () => items.toReversed(),
    ])();
  };
  return {
    make,
    twist: (shape, value) => {
      const spots = spotsIn(shape, value);
      if (spots.length === 0) return value;
      let twisted = value;
      for (let n = random.pick([1, 1, 1, 2, 3]); n > 0; n--) {
        const spot = random.pick(spots);
        const replace = (old: unknown): unknown => change(spot, old);
        twisted = withChange(twisted, spot.path, replace, believable);
      }
      return twisted;
    },
    hear: (shape, value) => {
      for (const spot of spotsIn(shape, value)) {
        const heard = at(value, spot.path);
        if (heard !== undefined && !Array.isArray(heard))
          vocabulary.hear(spot.field, heard);
      }
    },
  };
}

/** All parts of a value, from the largest to the smallest. */
function spotsIn(shape: Shape<unknown>, value: unknown): readonly Spot[] {
  const spots: Spot[] = [];
  const visit = (spot: Spot, part: unknown): void => {
    const sketch = sketchOf(spot.shape);
    if (canChange(sketch)) spots.push(spot);
    for (const inner of partsOf(sketch, spot, part))
      visit(inner, at(part, inner.path.slice(-1)));
  };
  visit({ shape, field: "", path: [] }, value);
  return spots;
}

/** Objects are changed in their fields, and the type of a message stays. */
function canChange(sketch: Sketch | undefined): boolean {
  switch (sketch?.kind) {
    case undefined:
    case "list":
      return true;
    case "word":
      return sketch.words.length > 1;
    case "object":
    case "union":
      return false;
  }
}

function partsOf(
  sketch: Sketch | undefined,
  { field, path }: Spot,
  part: unknown,
): readonly Spot[] {
  switch (sketch?.kind) {
    case undefined:
    case "word":
      return [];
    case "list":
      return Array.isArray(part)
        ? part.slice(0, ELEMENTS_MAX).map((_, index) => ({
            shape: sketch.of,
            field,
            path: [...path, index],
          }))
        : [];
    case "union": {
      const kind = sketch.kinds[String(at(part, ["type"]))];
      return kind === undefined
        ? []
        : partsOf(sketchOf(kind), { shape: kind, field, path }, part);
    }
    case "object":
      return Object.entries(sketch.fields).map(([name, one]) => ({
        shape: typeof one === "function" ? one : one.maybe,
        field: name,
        path: [...path, name],
      }));
  }
}

function at(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (part, step) =>
      typeof part === "object" && part !== null
        ? Reflect.get(part, step)
        : undefined,
    value,
  );
}

/** A copy in which one part is another. */
function withChange(
  value: unknown,
  path: readonly (string | number)[],
  replace: (old: unknown) => unknown,
  believable: Ports["believable"],
): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return replace(value);
  const inner = withChange(at(value, [step]), rest, replace, believable);
  if (Array.isArray(value))
    return typeof step === "number" && step < value.length
      ? value.with(step, inner)
      : value;
  return typeof value === "object" && value !== null
    ? believable({ ...value, [step]: inner })
    : value;
}
