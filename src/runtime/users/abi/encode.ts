import { AbiCoder, type ParamType } from "ethers";

import type { Json } from "../../domains/domain.ts";
import { keyOf, typeOf } from "./types.ts";

/** Encodes arguments as `readParams` gives them. */
export function encodeParams(
  params: readonly ParamType[],
  values: Readonly<Record<string, Json>>,
): string {
  return AbiCoder.defaultAbiCoder().encode(params, inOrder(params, values));
}

/** The coder takes tuples by position, so that components without a name, or with the same one, do not matter. */
function inOrder(params: readonly ParamType[], value: unknown): unknown[] {
  const entries = new Map(Object.entries(Object(value) as object));
  return params.map((param, index) =>
    positional(param, entries.get(keyOf(param, index))),
  );
}

function positional(param: ParamType, value: unknown): unknown {
  const type = typeOf(param);
  if (type.kind === "tuple") return inOrder(type.components, value);
  if (type.kind === "array" && Array.isArray(value))
    return value.map((item) => positional(type.item, item));
  return value;
}
