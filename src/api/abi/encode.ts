import type { ParamType } from "ethers";

import type { Json } from "../../domains/domain.ts";
import { UserError } from "../errors.ts";
import { layoutOf } from "./layout.ts";
import { keyOf } from "./types.ts";

/** Encodes arguments as `readParams` gives them. Throws a {@link UserError} for text that has no encoding. */
export function encodeParams(
  params: readonly ParamType[],
  values: Readonly<Record<string, Json>>,
): string {
  return `0x${encodeTuple(params, values)}`;
}

/** Digits of a word. */
const wordLength = 64;

function encodeTuple(params: readonly ParamType[], value: unknown): string {
  const entries = new Map<string, unknown>(
    Object.entries(Object(value) as object),
  );
  return encodeAll(
    params.map((param, index) => ({
      param,
      value: entries.get(keyOf(param, index)),
    })),
  );
}

/** What is dynamic comes after everything else, and its offset in its place. */
function encodeAll(
  parts: readonly { readonly param: ParamType; readonly value: unknown }[],
): string {
  const heads: string[] = [];
  const tails: string[] = [];
  let offset = parts.reduce(
    (sum, { param }) => sum + layoutOf(param).headSize,
    0,
  );
  for (const { param, value } of parts) {
    const encoded = encodeValue(param, value);
    if (!layoutOf(param).isDynamic) {
      heads.push(encoded);
      continue;
    }
    heads.push(numberWord(offset));
    tails.push(encoded);
    offset += encoded.length / 2;
  }
  return [...heads, ...tails].join("");
}

function encodeValue(param: ParamType, value: unknown): string {
  const { type } = layoutOf(param);
  switch (type.kind) {
    case "tuple":
      return encodeTuple(type.components, value);
    case "array": {
      const items: readonly unknown[] = Array.isArray(value) ? value : [];
      const all = encodeAll(
        items.map((item) => ({ param: type.item, value: item })),
      );
      return type.length >= 0 ? all : `${numberWord(items.length)}${all}`;
    }
    case "string":
      return encodeBytes(encodeText(String(value)));
    case "bytes":
      return encodeBytes(digitsOf(value));
    case "int":
      return word(BigInt.asUintN(256, BigInt(String(value))).toString(16));
    case "bool":
      return word(value === true ? "1" : "0");
    case "address":
      return word(digitsOf(value));
    case "fixedBytes":
      return digitsOf(value).padEnd(wordLength, "0");
  }
}

function encodeBytes(digits: string): string {
  const words = Math.ceil(digits.length / wordLength);
  return `${numberWord(digits.length / 2)}${digits.padEnd(words * wordLength, "0")}`;
}

function encodeText(text: string): string {
  const bytes = Buffer.from(text, "utf8");
  // Half of a pair of surrogates would silently become another character.
  if (bytes.toString("utf8") !== text)
    throw new UserError(
      "PD012208",
      `The text ${JSON.stringify(text.slice(0, 80))} cannot be encoded: it has half of a character`,
    );
  return bytes.toString("hex");
}

function digitsOf(value: unknown): string {
  return String(value).slice(2);
}

function numberWord(number: number): string {
  return word(number.toString(16));
}

function word(digits: string): string {
  return digits.padStart(wordLength, "0");
}
