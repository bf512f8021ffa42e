import { describe, LedgerInputError } from "./input-error.ts";

declare const brand: unique symbol;

/** A type that the compiler tells apart from others of the same shape. */
export type Brand<Base, Name extends string> = Base & {
  readonly [brand]: Readonly<Record<Name, true>>;
};

/** Bytes as lower-case hexadecimal digits after `0x`, two for each byte. */
export type Hex = Brand<`0x${string}`, "Hex">;

/** Exactly 32 bytes. */
export type Bytes32 = Hex & Brand<`0x${string}`, "Bytes32">;

/** No call carries more, so nothing of ours is longer. */
export const HEX_BYTES_MAX = 131_072;

const HEX = /^0x(?:[0-9a-fA-F]{2})*$/;

/** Any bytes up to a bound. */
export function parseHex(value: unknown, name = "bytes"): Hex {
  if (
    typeof value !== "string" ||
    value.length > 2 + 2 * HEX_BYTES_MAX ||
    !HEX.test(value)
  ) {
    throw new LedgerInputError(
      "INVALID_VALUE",
      `${name} must be an even number of hexadecimal digits after "0x", at most ${HEX_BYTES_MAX} bytes, but is ${describe(value)}.`,
    );
  }
  return value.toLowerCase() as Hex;
}

/** Exactly 32 bytes. */
export function parseBytes32(value: unknown, name = "value"): Bytes32 {
  if (typeof value !== "string" || !isHex32(value)) {
    throw new LedgerInputError(
      "INVALID_VALUE",
      `${name} must be 64 hexadecimal digits after "0x", but is ${describe(value)}.`,
    );
  }
  return value.toLowerCase() as Bytes32;
}

const isDigit = new Uint8Array(128);
for (const digit of "0123456789abcdefABCDEF") isDigit[digit.charCodeAt(0)] = 1;

/** A regular expression takes three times as long, and most values are looked at. */
function isHex32(value: string): boolean {
  if (value.length !== 66 || !value.startsWith("0x")) return false;
  let all = 1;
  for (let at = 2; at < 66; at++) all &= isDigit[value.charCodeAt(at)] ?? 0;
  return all === 1;
}

/** How many bytes a hex string stands for. */
export function byteLength(hex: Hex): number {
  return (hex.length - 2) >> 1;
}

const NIBBLES = new Uint8Array(128);
const PAIRS: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0"),
);
for (let digit = 0; digit < 16; digit++) {
  NIBBLES[digit.toString(16).charCodeAt(0)] = digit;
}

/** Writes the bytes of `hex` into `target`, and returns the position after them. */
export function writeHex(
  hex: Hex,
  target: Uint8Array,
  position: number,
): number {
  let at = position;
  for (let i = 2; i < hex.length; i += 2) {
    const high = NIBBLES[hex.charCodeAt(i)] ?? 0;
    const low = NIBBLES[hex.charCodeAt(i + 1)] ?? 0;
    target[at++] = (high << 4) | low;
  }
  return at;
}

/** The bytes of a hex string. */
export function toBytes(hex: Hex): Uint8Array {
  const bytes = new Uint8Array(byteLength(hex));
  writeHex(hex, bytes, 0);
  return bytes;
}

/** The hex string of bytes. */
export function toHex(bytes: Uint8Array): Hex {
  let digits = "0x";
  for (const byte of bytes) digits += PAIRS[byte] ?? "";
  return digits as Hex;
}

/** The hex string of exactly 32 bytes, such as a hash. */
export function toBytes32(bytes: Uint8Array): Bytes32 {
  if (bytes.length !== 32) {
    throw new LedgerInputError(
      "INVALID_VALUE",
      `Expected 32 bytes, but got ${bytes.length}.`,
    );
  }
  return toHex(bytes) as Bytes32;
}
