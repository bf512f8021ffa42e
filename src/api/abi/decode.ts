import type { ParamType } from "ethers";

import type { Json } from "../../domains/domain.ts";
import { layoutOf } from "./layout.ts";
import { fits, keyOf } from "./types.ts";

/** Bytes are not what the ABI says. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

/**
 * Decodes ABI-encoded values by name, integers as decimal text and bytes as lower-case digits.
 *
 * Offsets may point anywhere, so a few bytes can stand for values without end. What is read is bounded by a multiple of
 * what there is: encoders write everything once.
 */
export function decodeParams(
  params: readonly ParamType[],
  bytes: Uint8Array,
  budget: Budget = budgetFor(bytes),
): Readonly<Record<string, Json>> {
  const reader = new Reader(bytes, budget);
  return reader.tuple(params, 0);
}

/** How many bytes may still be read. All attempts to decode the same data share one. */
export interface Budget {
  left: number;
}

/** How often bytes may be read on the average. */
const inflationMax = 8;
/** Bytes that are read in one piece: four times as many as there are in the longest request. */
const readMax = 2_097_152;

export function budgetFor(bytes: Uint8Array): Budget {
  return { left: Math.min(inflationMax * bytes.length + 1_024, readMax) };
}

class Reader {
  readonly #bytes: Buffer;
  readonly #budget: Budget;

  constructor(bytes: Uint8Array, budget: Budget) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#budget = budget;
  }

  tuple(
    params: readonly ParamType[],
    start: number,
  ): Readonly<Record<string, Json>> {
    // Tuples of nothing take no bytes, and still have to be made.
    this.#spend(params.length * 32);
    let head = start;
    const entries = params.map((param, index): readonly [string, Json] => {
      const value = this.#element(param, start, head);
      head += layoutOf(param).headSize;
      return [keyOf(param, index), value];
    });
    return Object.fromEntries(entries);
  }

  #element(param: ParamType, start: number, head: number): Json {
    return layoutOf(param).isDynamic
      ? this.#value(param, start + this.#length(head))
      : this.#value(param, head);
  }

  #value(param: ParamType, at: number): Json {
    const { type } = layoutOf(param);
    switch (type.kind) {
      case "tuple":
        return this.tuple(type.components, at);
      case "array": {
        const count = type.length >= 0 ? type.length : this.#length(at);
        const start = type.length >= 0 ? at : at + 32;
        const size = layoutOf(type.item).headSize;
        this.#spend(count * 32);
        return Array.from({ length: count }, (_, index) =>
          this.#element(type.item, start, start + index * size),
        );
      }
      case "bytes":
        return `0x${this.#dynamic(at).toString("hex")}`;
      case "string":
        return this.#dynamic(at).toString("utf8");
      case "int": {
        const word = BigInt(`0x${this.#word(at).toString("hex")}`);
        const value = type.isSigned ? BigInt.asIntN(256, word) : word;
        if (!fits(value, type)) throw new DecodeError("A number is too large");
        return value.toString();
      }
      case "bool": {
        const word = this.#word(at).toString("hex");
        if (!/^0{63}[01]$/.test(word))
          throw new DecodeError("A flag is neither true nor false");
        return word.endsWith("1");
      }
      case "address": {
        const word = this.#word(at);
        requireZeros(word.subarray(0, 12));
        return `0x${word.toString("hex", 12)}`;
      }
      case "fixedBytes": {
        const word = this.#word(at);
        requireZeros(word.subarray(type.length));
        return `0x${word.toString("hex", 0, type.length)}`;
      }
    }
  }

  #dynamic(at: number): Buffer {
    return this.#slice(at + 32, this.#length(at));
  }

  /** A length or an offset: never beyond the end. */
  #length(at: number): number {
    const value = BigInt(`0x${this.#word(at).toString("hex")}`);
    if (value > BigInt(this.#bytes.length))
      throw new DecodeError("A length or an offset is beyond the end");
    return Number(value);
  }

  #word(at: number): Buffer {
    return this.#slice(at, 32);
  }

  #slice(at: number, length: number): Buffer {
    if (at + length > this.#bytes.length)
      throw new DecodeError("The data is too short");
    this.#spend(length);
    return this.#bytes.subarray(at, at + length);
  }

  #spend(bytes: number): void {
    this.#budget.left -= bytes;
    if (this.#budget.left < 0)
      throw new DecodeError("The data says the same again and again");
  }
}

function requireZeros(padding: Buffer): void {
  if (padding.some((byte) => byte !== 0))
    throw new DecodeError("There is something where nothing should be");
}
