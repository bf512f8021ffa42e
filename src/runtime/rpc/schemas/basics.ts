import { z } from "zod/v4";

import type { Json } from "../../domains/domain.ts";

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

export const abiEntry = z
  .record(z.string(), z.unknown())
  .meta({ id: "AbiEntry", description: "One entry of a JSON ABI" });

export const abi = z.array(abiEntry).max(2_000).meta({ id: "Abi" });

/** As in `mode=array&number=hex`. */
export const format = z.string().max(256).nullable().meta({
  id: "Format",
  description:
    "How to write values: `mode`, `number`, `bytes`, `address`, `pretty`, as the query of a URL",
});

/** A list of text by name. */
export const texts = z.record(z.string().max(256), z.string().max(4_096));
