// RLP, the encoding of Ethereum's transactions: byte strings and lists of them. Everything here is text of hexadecimal digits,
// as in `src/ledger/abi-writer.ts`: transactions arrive as text.

/** Thrown when bytes are not RLP. */
export class RlpError extends Error {
  override readonly name = "RlpError";
}

/** One item: where it begins with its header, and where its content begins and ends, all counted in digits. */
interface Item {
  readonly isList: boolean;
  readonly start: number;
  readonly content: number;
  readonly end: number;
}

/** The items of a list which fills `digits` completely. */
export interface RlpList {
  /** How many items it has. */
  readonly length: number;
  /** The digits of a byte string. Throws if the item is a list or is missing. */
  readonly text: (index: number) => string;
  /** Throws if it has leading zeros. */
  readonly number: (index: number) => bigint;
  /** The digits of the first `count` items with their headers. */
  readonly first: (count: number) => string;
}

/** Reads a list. Throws {@link RlpError}. */
export function readRlpList(digits: string): RlpList {
  const outer = itemAt(digits, 0);
  if (!outer.isList || outer.end !== digits.length)
    throw new RlpError("rlp: expected input list");
  const items: Item[] = [];
  for (let at = outer.content; at < outer.end;) {
    const item = itemAt(digits, at);
    if (item.end > outer.end) throw new RlpError("rlp: element is too large");
    items.push(item);
    at = item.end;
  }
  const text = (index: number): string => {
    const item = items[index];
    if (item === undefined) throw new RlpError("rlp: too few elements");
    if (item.isList) throw new RlpError("rlp: expected a string, not a list");
    return digits.slice(item.content, item.end);
  };
  return {
    length: items.length,
    text,
    number: (index) => {
      const found = text(index);
      if (found.startsWith("00"))
        throw new RlpError("rlp: non-canonical integer (leading zero bytes)");
      return found === "" ? 0n : BigInt(`0x${found}`);
    },
    first: (count) =>
      digits.slice(outer.content, items[count - 1]?.end ?? outer.content),
  };
}

/** A list of items that are encoded already. */
export function rlpList(items: string): string {
  return header(0xc0, items.length / 2) + items;
}

/** A byte string. */
export function rlpText(digits: string): string {
  const isByte = digits.length === 2 && digits < "80";
  return isByte ? digits : header(0x80, digits.length / 2) + digits;
}

/** A number: no leading zeros, and zero is empty. */
export function rlpNumber(value: bigint): string {
  return value === 0n ? "80" : rlpText(evenDigits(value));
}

function header(offset: number, bytes: number): string {
  if (bytes <= 55) return evenDigits(BigInt(offset + bytes));
  const length = evenDigits(BigInt(bytes));
  return evenDigits(BigInt(offset + 55 + length.length / 2)) + length;
}

function evenDigits(value: bigint): string {
  const digits = value.toString(16);
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}

function itemAt(digits: string, start: number): Item {
  const first = Number.parseInt(digits.slice(start, start + 2), 16);
  if (Number.isNaN(first)) throw new RlpError("rlp: unexpected end of input");
  if (first < 0x80)
    return { isList: false, start, content: start, end: start + 2 };
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  const lengthBytes = Math.max(0, short - 55);
  const content = start + 2 + 2 * lengthBytes;
  const length =
    lengthBytes === 0
      ? short
      : Number.parseInt(digits.slice(start + 2, content), 16);
  const end = content + 2 * length;
  if (!(end <= digits.length))
    throw new RlpError("rlp: value is larger than the input");
  return { isList, start, content, end };
}
