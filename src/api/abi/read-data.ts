import type { ParamType } from "ethers";

import type { Json } from "../../domains/domain.ts";
import { hasMoreParts } from "../count-parts.ts";
import { UserError } from "../errors.ts";
import { DecodeError, decodeParams } from "./decode.ts";
import { readParams, ValueError } from "./read-value.ts";

/** What arguments are for. */
export interface Callable {
  /** For messages. */
  readonly label: string;
  /** Undefined for a constructor. Asked for only if it matters, since it is a hash. */
  readonly selector: () => string | undefined;
  readonly inputs: readonly ParamType[];
}

/** Reads arguments in any of the forms that users give them: by name, by position, encoded, or not at all. */
export function readData(
  callable: Callable,
  data: unknown,
): Readonly<Record<string, Json>> {
  const { label, inputs } = callable;
  try {
    if (data === undefined || data === null) return readParams(inputs, []);
    if (typeof data !== "string") return readParams(inputs, requireFew(data));
    return decodeParams(inputs, encodedArguments(callable, data));
  } catch (error) {
    if (error instanceof ValueError || error instanceof DecodeError)
      throw new UserError("PD012208", `Data for ${label}: ${error.message}`);
    throw error;
  }
}

/** Values in the arguments of one call, which are read in one piece. A transaction has room for 4,096 words. */
const partsMax = 16_384;

function requireFew(data: unknown): unknown {
  if (hasMoreParts(data, partsMax))
    throw new ValueError(
      `It has more than ${partsMax} values. Send less at a time`,
    );
  return data;
}

function encodedArguments({ selector }: Callable, data: string): Buffer {
  const bytes = hexBytes(data);
  if (bytes === undefined)
    throw new ValueError("Text must be hexadecimal digits");
  // Arguments fill words, so four bytes more are a selector.
  if (bytes.length % 32 !== 4) return bytes;
  const found = `0x${bytes.toString("hex", 0, 4)}`;
  const expected = selector();
  if (found !== expected)
    throw new ValueError(
      `The selector is ${found}, not ${expected ?? "absent"}`,
    );
  return bytes.subarray(4);
}

/** The bytes that hexadecimal digits stand for, with or without 0x; undefined if they are none. */
export function hexBytes(text: string): Buffer | undefined {
  const digits = text.replace(/^0x/i, "");
  return digits.length % 2 === 0 && /^[\da-f]*$/i.test(digits)
    ? Buffer.from(digits, "hex")
    : undefined;
}
