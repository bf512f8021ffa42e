import type { Hex } from "./hex.ts";
import type { Address } from "./ids.ts";

// ABI encoding as text: hexadecimal digits are joined and never turned into bytes. A transaction is text on its
// way to a node anyhow, and this takes less than a hundredth of the time of a general encoder.

/** The digits of one value: a word that stands in place, or content that an offset points at. */
export type Encoded = string | { readonly content: string };

const WORD_DIGITS = 64;

export function uintWord(value: bigint | number): string {
  return value.toString(16).padStart(WORD_DIGITS, "0");
}

export function boolWord(value: boolean): string {
  return uintWord(value ? 1 : 0);
}

/** Addresses are aligned right in their word. */
export function addressWord(address: Address): string {
  return address.slice(2).padStart(WORD_DIGITS, "0");
}

export function word(bytes32: Hex): string {
  return bytes32.slice(2);
}

/** A list whose items are a fixed number of words each. */
export function wordList<Item>(
  items: readonly Item[],
  toWords: (item: Item) => string,
): Encoded {
  let content = uintWord(items.length);
  for (const item of items) content += toWords(item);
  return { content };
}

/** A list whose items have content of their own, such as `bytes`. */
export function contentList<Item>(
  items: readonly Item[],
  toContent: (item: Item) => string,
): Encoded {
  return {
    content:
      uintWord(items.length) +
      sequence(...items.map((item) => ({ content: toContent(item) }))),
  };
}

/** Bytes of any length, padded to whole words. */
export function bytesContent(bytes: Hex): Encoded {
  const digits = bytes.slice(2);
  const padded = Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS;
  return { content: uintWord(digits.length / 2) + digits.padEnd(padded, "0") };
}

/** Values one after the other: words in place, then the content that the offsets in between point at. */
export function sequence(...values: readonly Encoded[]): string {
  let head = "";
  let contents = "";
  for (const value of values) {
    if (typeof value === "string") {
      head += value;
    } else {
      head += uintWord((WORD_DIGITS / 2) * values.length + contents.length / 2);
      contents += value.content;
    }
  }
  return head + contents;
}
