/** Reads a value of one shape from anything; undefined means that it is not of that shape. */
export type Shape<Value> = (value: unknown) => Value | undefined;

/** How a shape is made of others. Tests make values from it, so that they know every field of every message. */
export type Sketch =
  | { readonly kind: "list"; readonly of: Shape<unknown> }
  | { readonly kind: "object"; readonly fields: Fields }
  | { readonly kind: "union"; readonly kinds: Kinds }
  | { readonly kind: "word"; readonly words: readonly string[] };

const sketches = new WeakMap<Shape<unknown>, Sketch>();

/** How a shape is made; undefined if it is not made of others. */
export function sketchOf(shape: Shape<unknown>): Sketch | undefined {
  return sketches.get(shape);
}

function sketched<Value>(shape: Shape<Value>, sketch: Sketch): Shape<Value> {
  sketches.set(shape, sketch);
  return shape;
}

/** A text of at most `bytes` UTF-16 units. */
export const text =
  (lengthMax: number): Shape<string> =>
  (value) =>
    typeof value === "string" && value.length <= lengthMax ? value : undefined;

/** Bytes as lower-case hexadecimal digits after `0x`, as many digits as said. */
export const digits =
  (length: {
    readonly lengthMin: number;
    readonly lengthMax: number;
  }): Shape<string> =>
  (value) =>
    typeof value === "string" &&
    value.length >= 2 + length.lengthMin &&
    value.length <= 2 + length.lengthMax &&
    /^0x(?:[0-9a-f]{2})*$/.test(value)
      ? value
      : undefined;

/** A whole number from 0 to 2^53 - 1. */
export const count: Shape<number> = (value) =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0
    ? value
    : undefined;

/** A whole number from 0 to `max`. */
export const countTo =
  (max: number): Shape<number> =>
  (value) => {
    const number = count(value);
    return number !== undefined && number <= max ? number : undefined;
  };

export const flag: Shape<boolean> = (value) =>
  typeof value === "boolean" ? value : undefined;

/** One of these words. */
export const oneOf = <const Word extends string>(
  ...words: readonly Word[]
): Shape<Word> =>
  sketched((value) => words.find((word) => word === value), {
    kind: "word",
    words,
  });

/** A list of at most `lengthMax` values. */
export const listOf = <Value>(
  shape: Shape<Value>,
  lengthMax: number,
): Shape<Value[]> =>
  sketched(
    (value) => {
      if (!Array.isArray(value) || value.length > lengthMax) return undefined;
      const given = value as readonly unknown[];
      /** A copy as soon as an item is not read as it was given. */
      let items: Value[] | undefined;
      for (let i = 0; i < given.length; i++) {
        const item = shape(given[i]);
        if (item === undefined) return undefined;
        if (items === undefined && item !== given[i])
          items = given.slice(0, i) as Value[];
        items?.push(item);
      }
      return items ?? (value as Value[]);
    },
    { kind: "list", of: shape },
  );

/** Shapes of the fields of an object. A field that may be missing is `maybe`. */
export type Fields = Readonly<Record<string, Shape<unknown> | Maybe<unknown>>>;

/** Marks a field that may be undefined. */
export interface Maybe<Value> {
  readonly maybe: Shape<Value>;
}

export const maybe = <Value>(shape: Shape<Value>): Maybe<Value> => ({
  maybe: shape,
});

type ValueOf<Field> =
  Field extends Maybe<infer Value>
    ? Value | undefined
    : Field extends Shape<infer Value>
      ? Exclude<Value, undefined>
      : never;

/**
 * An object with these fields; others are dropped, so that newer nodes may add some. One that is as it should be is given back itself:
 * to copy all that comes from the wire would cost more than to check it.
 */
export const object = <F extends Fields>(
  fields: F,
): Shape<{ readonly [Name in keyof F]: ValueOf<F[Name]> }> => {
  const names = Object.keys(fields);
  const shapes = Object.values(fields);
  return sketched(
    (value) =>
      // Every field has been read by its own shape.
      readObject(names, shapes, value) as
        { readonly [Name in keyof F]: ValueOf<F[Name]> } | undefined,
    { kind: "object", fields },
  );
};

type Source = Readonly<Record<string, unknown>>;

function readObject(
  names: readonly string[],
  shapes: readonly Fields[string][],
  value: unknown,
): object | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return undefined;
  const source = value as Source;
  let copy: Record<string, unknown> | undefined;
  for (let i = 0; i < names.length; i++) {
    const name = names[i] ?? "";
    const isGiven = Object.hasOwn(source, name);
    const given = isGiven ? source[name] : undefined;
    const read = readField(shapes[i], given);
    if (read === NOTHING) return undefined;
    if (copy === undefined && (!isGiven || read !== given))
      copy = firstOf(names, i, source);
    if (copy !== undefined) copy[name] = read;
  }
  if (copy !== undefined) return copy;
  return countOf(source) === names.length
    ? source
    : firstOf(names, names.length, source);
}

/** Stands for a field that is not of its shape. */
const NOTHING = Symbol("nothing");

function readField(field: Fields[string] | undefined, given: unknown): unknown {
  if (typeof field === "function") return field(given) ?? NOTHING;
  if (given === undefined || given === null) return undefined;
  return field?.maybe(given) ?? NOTHING;
}

/** The first fields, as they were given. */
function firstOf(
  names: readonly string[],
  count: number,
  source: Source,
): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (let i = 0; i < count; i++) {
    const name = names[i] ?? "";
    copy[name] = source[name];
  }
  return copy;
}

function countOf(source: Source): number {
  let count = 0;
  for (const name in source) if (Object.hasOwn(source, name)) count += 1;
  return count;
}

type Kinds = Readonly<Record<string, Shape<object>>>;

/** An object of the kind that its field `type` names. */
export const union = <K extends Kinds>(
  kinds: K,
): Shape<Exclude<ReturnType<K[keyof K]>, undefined>> =>
  sketched(
    (value) => {
      if (
        typeof value !== "object" ||
        value === null ||
        !Object.hasOwn(value, "type")
      )
        return undefined;
      const { type } = value as { readonly type: unknown };
      if (typeof type !== "string" || !Object.hasOwn(kinds, type))
        return undefined;
      const read = kinds[type]?.(value);
      if (read === undefined) return undefined;
      // The shape was chosen by the type that the value names.
      return (
        Object.hasOwn(read, "type") ? read : { type, ...read }
      ) as Exclude<ReturnType<K[keyof K]>, undefined>;
    },
    { kind: "union", kinds },
  );
