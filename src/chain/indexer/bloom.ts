import { keccak256 } from "../../ledger/index.ts";
import type { Header } from "../values.ts";
import { indexedTopics, type Watched } from "./blocks.ts";

/** Hexadecimal digits of a bloom filter, and in each the bit that something sets. */
type Bits = readonly { readonly digit: number; readonly mask: number }[];

const BLOOM = /^0x[0-9a-fA-F]{512}$/;
const EMPTY = /^0x0{512}$/;

/** Reads from the headers of blocks which contracts may have written logs in them. It compares bits, and asks nobody. */
export class LogBlooms {
  readonly #bits = new Map<string, Bits>();

  /**
   * Those of our contracts that may have written one of our logs in a block: all that did, and seldom one more. Undefined if
   * the header does not tell. Some chains leave the filter empty, whatever their blocks hold.
   */
  writersIn(
    { logsBloom, transactions }: Header,
    { groups, factory }: Watched,
  ): readonly string[] | undefined {
    if (logsBloom === undefined || !BLOOM.test(logsBloom)) return undefined;
    if (EMPTY.test(logsBloom))
      return transactions?.length === 0 ? [] : undefined;
    if (!indexedTopics.some((topic) => this.#has(logsBloom, topic))) return [];
    const writers: string[] = [];
    for (const group of groups)
      if (this.#has(logsBloom, group)) writers.push(group);
    if (factory !== undefined && this.#has(logsBloom, factory))
      writers.push(factory);
    return writers;
  }

  #has(bloom: string, value: string): boolean {
    return this.#bitsOf(value).every(
      ({ digit, mask }) =>
        (Number.parseInt(bloom.charAt(digit), 16) & mask) !== 0,
    );
  }

  /** As many are kept as there are contracts and topics. */
  #bitsOf(value: string): Bits {
    const known = this.#bits.get(value);
    if (known !== undefined) return known;
    const hash = keccak256(Buffer.from(value.slice(2), "hex"));
    const bits = [0, 2, 4].map((i) => {
      const bit = (((hash[i] ?? 0) << 8) | (hash[i + 1] ?? 0)) & 2047;
      // The digits of bit 0 are the last ones, after "0x".
      return { digit: 2 + 511 - (bit >> 2), mask: 1 << (bit & 3) };
    });
    this.#bits.set(value, bits);
    return bits;
  }
}
