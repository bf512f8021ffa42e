import { type Bytes32, type Hex, parseBytes32, parseHex } from "./hex.ts";
import { ZERO_BYTES32 } from "./ids.ts";
import { describe, LedgerInputError } from "./input-error.ts";

/** A compact signature (EIP-2098): `vs` is `s` with the parity in its highest bit. */
export interface CompactSignature {
  readonly r: Bytes32;
  readonly vs: Bytes32;
}

/** 64 bytes (EIP-2098), 65 bytes (r, s, v), or the three numbers, for example a `Signature` of ethers. */
export type SignatureLike =
  | string
  | { readonly r: string; readonly s: string; readonly v: number | bigint };

// Lower-case hex of the same length sorts like the numbers, so no arithmetic is needed.
const ORDER =
  "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
const HALF_ORDER =
  "0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";

/** A signature in the form that the contract takes. A high `s` is refused there, and so it is here. */
export function parseSignature(
  value: unknown,
  name = "signature",
): CompactSignature {
  if (typeof value === "string")
    return parseSignatureBytes(parseHex(value, name), name);
  if (typeof value !== "object" || value === null) {
    throw invalid(
      name,
      `must be 64 or 65 bytes, or have r, s and v, but is ${describe(value)}.`,
    );
  }
  return compact(
    {
      r: parseBytes32(Reflect.get(value, "r"), `${name}.r`),
      s: parseBytes32(Reflect.get(value, "s"), `${name}.s`),
      parity: parseParity(Reflect.get(value, "v"), name),
    },
    name,
  );
}

/** Whether both numbers of a signature are in the range that the contract accepts. */
export function isCanonical({ r, vs }: CompactSignature): boolean {
  const s = withoutParity(vs);
  return r > ZERO_BYTES32 && r < ORDER && s > ZERO_BYTES32 && s <= HALF_ORDER;
}

function parseSignatureBytes(bytes: Hex, name: string): CompactSignature {
  const r = bytes.slice(0, 66);
  const rest = bytes.slice(66);
  if (rest.length === 64) {
    return requireCanonical(
      { r: parseBytes32(r), vs: parseBytes32(`0x${rest}`) },
      name,
    );
  }
  if (rest.length !== 66) {
    throw invalid(name, `must have 64 or 65 bytes, but is ${describe(bytes)}.`);
  }
  const s = parseBytes32(`0x${rest.slice(0, 64)}`);
  const parity = parseParity(Number.parseInt(rest.slice(64), 16), name);
  return compact({ r: parseBytes32(r), s, parity }, name);
}

function parseParity(v: unknown, name: string): 0 | 1 {
  switch (v) {
    case 0:
    case 0n:
    case 27:
    case 27n:
      return 0;
    case 1:
    case 1n:
    case 28:
    case 28n:
      return 1;
    default:
      throw invalid(
        name,
        `must have 27 or 28 as v (or 0 or 1), but has ${describe(v)}.`,
      );
  }
}

function compact(
  {
    r,
    s,
    parity,
  }: { readonly r: Bytes32; readonly s: Bytes32; readonly parity: 0 | 1 },
  name: string,
): CompactSignature {
  if (s > HALF_ORDER) {
    throw invalid(
      name,
      "has a high s, which the ledger refuses because anybody could have flipped it. Sign again with a low s.",
    );
  }
  const vs =
    parity === 0
      ? s
      : parseBytes32(
          `0x${(Number.parseInt(s.charAt(2), 16) | 8).toString(16)}${s.slice(3)}`,
        );
  return requireCanonical({ r, vs }, name);
}

function requireCanonical(
  signature: CompactSignature,
  name: string,
): CompactSignature {
  if (!isCanonical(signature)) {
    throw invalid(
      name,
      "is out of range: r must be in 1…n-1 and s in 1…n/2, where n is the order of secp256k1. Sign again.",
    );
  }
  return signature;
}

function withoutParity(vs: Bytes32): string {
  return `0x${(Number.parseInt(vs.charAt(2), 16) & 7).toString(16)}${vs.slice(3)}`;
}

function invalid(name: string, problem: string): LedgerInputError {
  return new LedgerInputError("INVALID_SIGNATURE", `${name} ${problem}`);
}
