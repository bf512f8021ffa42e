import { keccak256Hex } from "./keccak.ts";
import { byteLength, type Bytes32, type Hex } from "./hex.ts";
import { type Address, parseUint64, type Uint64 } from "./ids.ts";
import { LedgerInputError } from "./input-error.ts";

/** Reads ABI-encoded values one after the other. It throws `MALFORMED_DATA` instead of guessing. */
export interface AbiReader {
  readonly bytes32: () => Bytes32;
  readonly uint: () => bigint;
  readonly uint64: () => Uint64;
  readonly uint8: () => number;
  readonly bool: () => boolean;
  readonly address: () => Address;
  readonly bytes: () => Hex;
  readonly bytes32List: () => readonly Bytes32[];
  readonly addressList: () => readonly Address[];
}

const WORD = 32;
const ADDRESS_PADDING = "0".repeat(24);

/** A reader of the values in `data`, which begin after `start` bytes, such as a selector. */
export function readAbi(data: Hex, start = 0): AbiReader {
  const size = byteLength(data);
  let head = start;

  const wordAt = (position: number): Bytes32 => {
    if (position + WORD > size)
      throw malformed(`ends after ${size} bytes, within a word`);
    return `0x${data.slice(2 + 2 * position, 2 + 2 * (position + WORD))}` as Bytes32;
  };
  const next = (): Bytes32 => {
    const word = wordAt(head);
    head += WORD;
    return word;
  };
  const bounded = (word: Bytes32, max: number, what: string): number => {
    const value = BigInt(word);
    if (value > BigInt(max)) throw malformed(`has ${what} that does not fit`);
    return Number(value);
  };
  /** Where the content of the dynamic value at the head begins, and how many items it has. */
  const list = (
    itemBytes: number,
  ): { readonly at: number; readonly length: number } => {
    const at = start + bounded(next(), size, "an offset");
    const length = bounded(
      wordAt(at),
      Math.floor((size - at - WORD) / itemBytes),
      "a length",
    );
    return { at: at + WORD, length };
  };
  const listOf = <Item>(toItem: (word: Bytes32) => Item): readonly Item[] => {
    const { at, length } = list(WORD);
    return Array.from({ length }, (_, i) => toItem(wordAt(at + WORD * i)));
  };

  return {
    bytes32: next,
    uint: () => BigInt(next()),
    uint64: () => parseUint64(BigInt(next())),
    uint8: () => bounded(next(), 0xff, "a number"),
    bool: () => bounded(next(), 1, "a truth value") === 1,
    address: () => toAddress(next()),
    bytes: () => {
      const { at, length } = list(1);
      return `0x${data.slice(2 + 2 * at, 2 + 2 * (at + length))}` as Hex;
    },
    bytes32List: () => listOf((word) => word),
    addressList: () => listOf(toAddress),
  };
}

/** The address in a word, such as an indexed argument of an event. */
export function toAddress(word: Bytes32): Address {
  if (!word.startsWith(ADDRESS_PADDING, 2))
    throw malformed("has an address that is longer than 20 bytes");
  return `0x${word.slice(26)}` as Address;
}

/** The hash by which the chain names an entry of a human-readable ABI with plain argument types. */
export function signatureHash(entry: string): Hex {
  const [, name = "", list = ""] = /^\w+ (\w+)\((.*)\)$/.exec(entry) ?? [];
  const types = list.split(", ").map((argument) => argument.split(" ")[0]);
  return keccak256Hex(`${name}(${types.join(",")})`);
}

function malformed(problem: string): LedgerInputError {
  return new LedgerInputError("MALFORMED_DATA", `The data ${problem}.`);
}
