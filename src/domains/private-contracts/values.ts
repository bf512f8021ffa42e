import { z } from "zod";

import { type Hex, keccak256Hex, parseHex, toHex } from "../../ledger/index.ts";

/** 2^256 - 1 has 78 digits. */
export const number = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,77})$/)
  .transform(BigInt);

const hexOf = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern)
    .transform((text) => parseHex(text));

export const hash = hexOf(/^0x[0-9a-f]{64}$/);
export const address = hexOf(/^0x[0-9a-f]{40}$/);
export const bytes = hexOf(/^0x(?:[0-9a-f]{2})*$/);

/** A word of storage, written without leading zeroes. */
export const word = z.string().regex(/^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/);

export function writeWord(value: bigint): string {
  return `0x${value.toString(16)}`;
}

export function hashOf(content: Uint8Array | string): Hex {
  return keccak256Hex(content);
}

/** Big-endian. Nothing stands for zero. */
export function toNumber(content: Uint8Array): bigint {
  return content.length === 0 ? 0n : BigInt(toHex(content));
}

/** Big-endian, without leading zeroes. */
export function toUnpaddedBytes(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array();
  const digits = value.toString(16);
  return Buffer.from(
    digits.padStart(digits.length + (digits.length % 2), "0"),
    "hex",
  );
}
