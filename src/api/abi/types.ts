import type { ParamType } from "ethers";

/** A type of the ABI, taken apart. */
export type AbiType =
  | { readonly kind: "int"; readonly isSigned: boolean; readonly bits: number }
  | { readonly kind: "bool" | "address" | "string" | "bytes" }
  | { readonly kind: "fixedBytes"; readonly length: number }
  | {
      readonly kind: "array";
      /** -1 if it is dynamic. */
      readonly length: number;
      readonly item: ParamType;
    }
  | { readonly kind: "tuple"; readonly components: readonly ParamType[] };

/** A type without parts. */
export type WordType = Exclude<AbiType, { readonly kind: "tuple" | "array" }>;

/** Throws an Error for a type that there is no JSON for. */
export function typeOf(param: ParamType): AbiType {
  if (param.isArray())
    return {
      kind: "array",
      length: param.arrayLength,
      item: param.arrayChildren,
    };
  if (param.isTuple()) return { kind: "tuple", components: param.components };
  const { type } = param;
  if (
    type === "bool" ||
    type === "address" ||
    type === "string" ||
    type === "bytes"
  )
    return { kind: type };
  const [, word, digits = "256"] = /^(u?int|bytes)(\d{0,3})$/.exec(type) ?? [];
  if (word === undefined) throw new Error(`${type} is no type that is known`);
  if (word === "bytes") return { kind: "fixedBytes", length: Number(digits) };
  return { kind: "int", isSigned: word === "int", bits: Number(digits) };
}

/** What a component of a tuple is called in JSON: one without a name, by its place. */
export function keyOf({ name }: ParamType, index: number): string {
  return name === "" ? String(index) : name;
}

/** Whether an integer fits its type. */
export function fits(
  value: bigint,
  { isSigned, bits }: { readonly isSigned: boolean; readonly bits: number },
): boolean {
  return isSigned
    ? BigInt.asIntN(bits, value) === value
    : BigInt.asUintN(bits, value) === value;
}
