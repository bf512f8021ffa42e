import { z } from "zod/v4";

import type { Json } from "../../../domains/domain.ts";

/** Anything that JSON can say. */
export const json = z
  .custom<Json>()
  .meta({ id: "Json", description: "Any JSON value" });

export const uuid = z
  .string()
  .regex(/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i)
  .meta({ id: "Uuid" });

export const hex = z
  .string()
  .regex(/^(0x)?([\da-fA-F]{2})*$/)
  .meta({ id: "Hex", description: "Bytes as hexadecimal digits" });

export const hex32 = z
  .string()
  .regex(/^(0x)?[\da-fA-F]{64}$/)
  .meta({ id: "Hex32", description: "32 bytes as hexadecimal digits" });

export const address = z
  .string()
  .regex(/^0x[\da-fA-F]{40}$/)
  .meta({ id: "Address", description: "20 bytes as hexadecimal digits" });

export const timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
  .meta({ id: "Timestamp", description: "RFC 3339 in UTC with nanoseconds" });

/** One word of a user: a name, a key. */
export const word = z.string().max(256);

export const identity = z.string().min(1).max(256).meta({
  id: "Identity",
  description: "`name` or `name@node`",
});

/** A schema whose values are looked at by something else first. */
export type Checked<Schema extends z.ZodType> = z.ZodPipe<
  z.ZodTransform,
  Schema
>;

/**
 * Refuses a value before its parts are looked at: whatever is wrong with each of a hundred thousand would take a while to
 * tell.
 */
export function unless<Schema extends z.ZodType>(
  isTooMuch: (value: unknown) => boolean,
  message: string,
  schema: Schema,
): Checked<Schema> {
  return z.preprocess((value, context) => {
    if (!isTooMuch(value)) return value;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  }, schema);
}

/** A list of at most so many elements. */
export function list<Element extends z.ZodType>(
  element: Element,
  { min = 0, max }: { readonly min?: number; readonly max: number },
): Checked<z.ZodArray<Element>> {
  const schema = z.array(element).max(max);
  return unless(
    (value) => Array.isArray(value) && value.length > max,
    `Too many: ${max} elements are allowed`,
    min > 0 ? schema.min(min) : schema,
  );
}

/** Keys of one object. */
const keysMax = 1_024;

/** An object with any keys, but not too many. */
function fewKeys<Schema extends z.ZodType>(schema: Schema): Checked<Schema> {
  return unless(
    (value) =>
      typeof value === "object" &&
      value !== null &&
      Object.keys(value).length > keysMax,
    `Too many: ${keysMax} keys are allowed`,
    schema,
  );
}

export const abiEntry = z
  .record(z.string(), z.unknown())
  .meta({ id: "AbiEntry", description: "One entry of a JSON ABI" });

/** As users give it. */
export const abiEntryInput = fewKeys(abiEntry);

export const abi = list(abiEntryInput, { max: 2_000 }).meta({ id: "Abi" });

/** As in `mode=array&number=hex`. */
export const format = z.string().max(256).nullable().meta({
  id: "Format",
  description:
    "How to write values: `mode`, `number`, `bytes`, `address`, `pretty`, as the query of a URL",
});

/** Text by name. */
export const texts = z.record(z.string().max(256), z.string().max(4_096));

/** As users give it. */
export const textsInput = fewKeys(texts);
