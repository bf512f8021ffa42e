import { getAddress, type ParamType } from "ethers";

import type { Json } from "../../domains/domain.ts";
import { UserError } from "../errors.ts";
import { layoutOf } from "./layout.ts";
import { keyOf } from "./types.ts";

const choices = {
  mode: ["object", "array", "self-describing"],
  number: ["string", "hex", "json-number"],
  bytes: ["hex", "hex-plain", "base64"],
  address: ["hex", "hex-plain", "checksum"],
  pretty: ["false", "true"],
} as const;

type Choices = typeof choices;

/** How a user wants values written; the first choice of each is for those who do not say. */
export type Format = {
  readonly [Name in keyof Choices]: Choices[Name][number];
};

/** Reads a format as in `mode=array&number=hex`. Throws a {@link UserError}. */
export function parseFormat(text: string | null | undefined): Format {
  const asked = new URLSearchParams(text ?? "");
  for (const name of asked.keys())
    if (!Object.hasOwn(choices, name))
      throw new UserError("PD099006", `No format option '${name}'`);
  const choose = <Name extends keyof Choices>(
    name: Name,
  ): Choices[Name][number] => {
    const options: readonly Choices[Name][number][] = choices[name];
    const value = asked.get(name) ?? options[0];
    const found = options.find((option) => option === value);
    if (found === undefined)
      throw new UserError(
        "PD099006",
        `${name} is ${options.join(", ")}, not '${value ?? ""}'`,
      );
    return found;
  };
  return {
    mode: choose("mode"),
    number: choose("number"),
    bytes: choose("bytes"),
    address: choose("address"),
    pretty: choose("pretty"),
  };
}

/** Writes values, given by name as `decodeParams` gives them, in the form that a user wants. */
export function formatParams(
  params: readonly ParamType[],
  values: Readonly<Record<string, Json>>,
  format: Format,
): Json {
  const entries = new Map(Object.entries(values));
  const parts = params.map((param, index) => ({
    name: keyOf(param, index),
    type: param.type,
    value: formatValue(param, entries.get(keyOf(param, index)) ?? null, format),
  }));
  if (format.mode === "array") return parts.map(({ value }) => value);
  if (format.mode === "self-describing") return parts;
  return Object.fromEntries(parts.map(({ name, value }) => [name, value]));
}

function formatValue(param: ParamType, value: Json, format: Format): Json {
  const { type } = layoutOf(param);
  if (type.kind === "array")
    return Array.isArray(value)
      ? value.map((item: Json) => formatValue(type.item, item, format))
      : value;
  if (type.kind === "tuple")
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? formatParams(
          type.components,
          value as Readonly<Record<string, Json>>,
          format,
        )
      : value;
  if (typeof value !== "string") return value;
  switch (type.kind) {
    case "int":
      return formatInteger(value, format);
    case "address":
      if (format.address === "checksum") return getAddress(value);
      return format.address === "hex-plain" ? value.slice(2) : value;
    case "bytes":
    case "fixedBytes":
      if (format.bytes === "base64")
        return Buffer.from(value.slice(2), "hex").toString("base64");
      return format.bytes === "hex-plain" ? value.slice(2) : value;
    case "bool":
    case "string":
      return value;
  }
}

function formatInteger(value: string, { number }: Format): Json {
  if (number === "string") return value;
  if (number === "hex")
    return value.startsWith("-")
      ? `-0x${BigInt(value.slice(1)).toString(16)}`
      : `0x${BigInt(value).toString(16)}`;
  // A number that JSON readers would round stays text.
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
