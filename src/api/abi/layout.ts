import type { ParamType } from "ethers";

import { type AbiType, typeOf } from "./types.ts";

/** How values of a type are written. */
export interface Layout {
  readonly type: AbiType;
  /** Whether the value is elsewhere, and an offset in its place. */
  readonly isDynamic: boolean;
  /** Bytes that a value takes in its place. */
  readonly headSize: number;
}

/** Types are looked at once for every value of them, and those of lists inside of lists are many types. */
const known = new WeakMap<ParamType, Layout>();

/** Throws an Error for a type that there is no JSON for. */
export function layoutOf(param: ParamType): Layout {
  const found = known.get(param) ?? layoutOfType(typeOf(param));
  known.set(param, found);
  return found;
}

function layoutOfType(type: AbiType): Layout {
  switch (type.kind) {
    case "string":
    case "bytes":
      return { type, isDynamic: true, headSize: 32 };
    case "array": {
      const item = layoutOf(type.item);
      return type.length < 0 || item.isDynamic
        ? { type, isDynamic: true, headSize: 32 }
        : { type, isDynamic: false, headSize: type.length * item.headSize };
    }
    case "tuple": {
      const parts = type.components.map(layoutOf);
      return parts.some(({ isDynamic }) => isDynamic)
        ? { type, isDynamic: true, headSize: 32 }
        : {
            type,
            isDynamic: false,
            headSize: parts.reduce((sum, { headSize }) => sum + headSize, 0),
          };
    }
    case "int":
    case "bool":
    case "address":
    case "fixedBytes":
      return { type, isDynamic: false, headSize: 32 };
  }
}
