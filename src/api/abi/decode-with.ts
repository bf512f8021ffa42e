import type { EventFragment, Fragment, ParamType } from "ethers";

import type { Json } from "../../domains/domain.ts";
import { type Budget, DecodeError, decodeParams } from "./decode.ts";
import { layoutOf } from "./layout.ts";
import { keyOf } from "./types.ts";

/** Decodes what follows a selector; undefined if it does not fit. */
export function decodeFor(
  fragment: Fragment,
  bytes: Uint8Array,
  budget: Budget,
): Readonly<Record<string, Json>> | undefined {
  return attempt(() => decodeParams(fragment.inputs, bytes, budget));
}

/** Decodes an event; undefined if it does not fit. What is indexed and longer than a word is there as its hash only. */
export function decodeEventFor(
  fragment: EventFragment,
  topics: readonly Uint8Array[],
  data: { readonly bytes: Uint8Array; readonly budget: Budget },
): Readonly<Record<string, Json>> | undefined {
  return attempt(() => {
    const indexed = fragment.inputs.filter((input) => input.indexed === true);
    if (indexed.length !== topics.length - 1)
      throw new DecodeError("The number of topics is wrong");
    const rest = fragment.inputs.filter((input) => input.indexed !== true);
    // Without a name a value is called by its place, which is another one among the rest.
    const values = decodeInOrder(rest, data.bytes, data.budget).values();
    const words = topics.slice(1).values();
    return Object.fromEntries(
      fragment.inputs.map((input, index): [string, Json] => [
        keyOf(input, index),
        input.indexed === true
          ? decodeTopic(input, words.next().value ?? new Uint8Array())
          : (values.next().value ?? null),
      ]),
    );
  });
}

function decodeInOrder(
  params: readonly ParamType[],
  bytes: Uint8Array,
  budget?: Budget,
): readonly Json[] {
  const values = new Map(Object.entries(decodeParams(params, bytes, budget)));
  return params.map((param, index) => values.get(keyOf(param, index)) ?? null);
}

function decodeTopic(param: ParamType, topic: Uint8Array): Json {
  const { type, isDynamic } = layoutOf(param);
  const isHashed = isDynamic || type.kind === "array" || type.kind === "tuple";
  if (isHashed) return `0x${Buffer.from(topic).toString("hex")}`;
  return decodeInOrder([param], topic)[0] ?? null;
}

function attempt<Result>(decode: () => Result): Result | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
