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
      const items: Value[] = [];
      for (const element of value as unknown[]) {
        const item = shape(element);
        if (item === undefined) return undefined;
        items.push(item);
      }
      return items;
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

/** An object with these fields; others are dropped, so that newer nodes may add some. */
export const object = <F extends Fields>(
  fields: F,
): Shape<{ readonly [Name in keyof F]: ValueOf<F[Name]> }> =>
  sketched((value) => readObject(fields, value), { kind: "object", fields });

function readObject<F extends Fields>(
  fields: F,
  value: unknown,
): { readonly [Name in keyof F]: ValueOf<F[Name]> } | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return undefined;
  const source = value as Readonly<Record<string, unknown>>;
  const result: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = Object.hasOwn(source, name) ? source[name] : undefined;
    if (typeof field === "function") {
      const read = field(given);
      if (read === undefined) return undefined;
      result[name] = read;
    } else {
      const read =
        given === undefined || given === null ? undefined : field.maybe(given);
      if (read === undefined && given !== undefined && given !== null)
        return undefined;
      result[name] = read;
    }
  }
  // Every field has been read by its own shape.
  return result as { readonly [Name in keyof F]: ValueOf<F[Name]> };
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
      return read === undefined
        ? undefined
        : // The shape was chosen by the type that the value names.
          ({ type, ...read } as Exclude<ReturnType<K[keyof K]>, undefined>);
    },
    { kind: "union", kinds },
  );
