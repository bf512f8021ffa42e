declare const brand: unique symbol;

/** A string that must not be mixed up with other strings. Made by a parser at the edge, trusted inside. */
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** A node: letters, digits, `.`, `_` and `-`, at most 64 characters. */
export type NodeName = Branded<"NodeName">;

/** The address of a privacy group's contract, in lower case. */
export type GroupAddress = Branded<"GroupAddress">;

const nodeName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const groupAddress = /^0x[0-9a-f]{40}$/;

/** The value as a node name, or undefined if it is none. */
export function parseNodeName(value: unknown): NodeName | undefined {
  return typeof value === "string" && nodeName.test(value)
    ? (value as NodeName)
    : undefined;
}

/** The value as a group's address, or undefined if it is none. Upper-case digits are taken as lower-case ones. */
export function parseGroupAddress(value: unknown): GroupAddress | undefined {
  const lower = typeof value === "string" ? value.toLowerCase() : "";
  return groupAddress.test(lower) ? (lower as GroupAddress) : undefined;
}
