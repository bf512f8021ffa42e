/** A field of an EIP-712 struct, as wallets and ethers take it. */
export interface TypedDataField {
  readonly name: string;
  readonly type: string;
}

const field = (type: string, name: string): TypedDataField => ({ name, type });

const ExternalCall = [
  field("address", "target"),
  field("bytes", "data"),
  field("uint64", "gasMin"),
];

const Transition = [
  field("uint64", "epoch"),
  field("bytes32[]", "intents"),
  field("bytes32[]", "inputs"),
  field("bytes32[]", "reads"),
  field("bytes32[]", "outputs"),
  field("bytes32", "details"),
  field("uint64", "validUntil"),
  field("ExternalCall[]", "calls"),
];

const Approval = [
  field("address", "delegate"),
  field("Transition", "transition"),
];

const CommitteeChange = [
  field("uint64", "epoch"),
  field("address[]", "members"),
  field("uint8", "threshold"),
  field("uint64", "validUntil"),
];

/** EIP-712 types for wallets, one set for each primary type: `signTypedData(domain, types, value)`. */
export const typedDataTypes = {
  Transition: { Transition, ExternalCall },
  Approval: { Approval, Transition, ExternalCall },
  CommitteeChange: { CommitteeChange },
} as const satisfies Record<string, Record<string, readonly TypedDataField[]>>;

/** The EIP-712 `encodeType` of a struct: itself, then the structs it refers to in alphabetical order. */
export function encodeType(primary: keyof typeof typedDataTypes): string {
  const structs: Record<string, readonly TypedDataField[]> =
    typedDataTypes[primary];
  const others = Object.keys(structs)
    .filter((name) => name !== primary)
    .sort();
  return [primary, ...others]
    .map((name) => encodeStruct(name, structs[name] ?? []))
    .join("");
}

/** One struct of an EIP-712 type, without those it refers to. */
export function encodeStruct(
  name: string,
  fields: readonly TypedDataField[],
): string {
  return `${name}(${fields.map(({ type, name: field }) => `${type} ${field}`).join(",")})`;
}
