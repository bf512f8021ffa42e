import type { ParamType } from "ethers";

import type { Json } from "../../domains/domain.ts";
import { layoutOf } from "./layout.ts";
import { fits, keyOf } from "./types.ts";

/** What a user gave is not what the ABI says. */
export class ValueError extends Error {
  override readonly name = "ValueError";
}

/** Reads arguments as users write them, by name or by position; gives them by name, each written in one way only. */
export function readParams(
  params: readonly ParamType[],
  value: unknown,
): Readonly<Record<string, Json>> {
  if (Array.isArray(value)) {
    if (value.length !== params.length)
      throw new ValueError(
        `${params.length} values are needed, not ${value.length}`,
      );
    return Object.fromEntries(
      params.map((param, index) => {
        const key = keyOf(param, index);
        return [key, readValue(param, value[index], key)];
      }),
    );
  }
  if (typeof value !== "object" || value === null)
    throw new ValueError("An object or an array is needed");
  const entries = new Map(Object.entries(value));
  return Object.fromEntries(
    params.map((param, index) => {
      const key = keyOf(param, index);
      if (!entries.has(key)) throw new ValueError(`${key} is missing`);
      return [key, readValue(param, entries.get(key), key)];
    }),
  );
}

function readValue(param: ParamType, value: unknown, path: string): Json {
  const { type } = layoutOf(param);
  switch (type.kind) {
    case "int": {
      const integer = readInteger(value);
      if (integer === undefined || !fits(integer, type))
        throw wrong(path, param, value);
      return integer.toString();
    }
    case "bool": {
      if (value === true || value === "true") return true;
      if (value === false || value === "false") return false;
      throw wrong(path, param, value);
    }
    case "string": {
      if (typeof value !== "string") throw wrong(path, param, value);
      return value;
    }
    case "address":
    case "bytes":
    case "fixedBytes": {
      const digits = readDigits(value);
      const length =
        type.kind === "address"
          ? 20
          : type.kind === "fixedBytes"
            ? type.length
            : undefined;
      if (
        digits === undefined ||
        (length !== undefined && digits.length !== length * 2)
      )
        throw wrong(path, param, value);
      return `0x${digits}`;
    }
    case "array": {
      if (
        !Array.isArray(value) ||
        (type.length >= 0 && value.length !== type.length)
      )
        throw wrong(path, param, value);
      return value.map((item, index) =>
        readValue(type.item, item, `${path}[${index}]`),
      );
    }
    case "tuple":
      try {
        return readParams(type.components, value);
      } catch (error) {
        if (error instanceof ValueError)
          throw new ValueError(`${path}: ${error.message}`);
        throw error;
      }
  }
}

function readInteger(value: unknown): bigint | undefined {
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  // The longest that fits has 78 digits.
  if (typeof value !== "string" || value.length > 80) return undefined;
  const [, sign, digits] = /^(-?)(\d+|0x[\da-f]+)$/i.exec(value) ?? [];
  if (digits === undefined) return undefined;
  return sign === "-" ? -BigInt(digits) : BigInt(digits);
}

function readDigits(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const digits = value.replace(/^0x/i, "").toLowerCase();
  return digits.length % 2 === 0 && /^[\da-f]*$/.test(digits)
    ? digits
    : undefined;
}

function wrong(path: string, param: ParamType, value: unknown): ValueError {
  const shown = value === undefined ? "missing" : JSON.stringify(value);
  return new ValueError(
    `${path} cannot be ${shown.slice(0, 80)}: it is of type ${param.format()}`,
  );
}
