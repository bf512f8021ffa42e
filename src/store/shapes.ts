import {
  type Address,
  type Bytes32,
  type Hex,
  parseAddress,
  parseBytes32,
  parseHex,
  parseStateId,
  parseUint64,
  type StateId,
  type Uint64,
} from "../ledger/index.ts";
import type { Shape } from "../protocol/shape.ts";

/** A parser that throws, as a shape. */
function shapeOf<Value>(parse: (value: unknown) => Value): Shape<Value> {
  return (value) => {
    try {
      return parse(value);
    } catch {
      return undefined;
    }
  };
}

export const hex: Shape<Hex> = shapeOf((value) => parseHex(value));
export const bytes32: Shape<Bytes32> = shapeOf((value) => parseBytes32(value));
export const address: Shape<Address> = shapeOf((value) => parseAddress(value));
export const uint64: Shape<Uint64> = shapeOf((value) => parseUint64(value));
/** A state, as the ledger names it. */
export const ledgerId: Shape<StateId> = shapeOf((value) => parseStateId(value));
