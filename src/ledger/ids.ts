import { keccak256Hex } from "./keccak.ts";
import { type Brand, type Bytes32, type Hex, parseBytes32 } from "./hex.ts";
import { describe, LedgerInputError } from "./input-error.ts";

/** What a user asked for. Any 32 bytes; see `lanes.ts` for ids that are cheap on the ledger. */
export type IntentId = Bytes32 & Brand<`0x${string}`, "IntentId">;

/** A state on the ledger, as the contract names it. */
export type StateId = Bytes32 & Brand<`0x${string}`, "StateId">;

/** A commitment to the private content of a state. The contract turns it into a {@link StateId}. */
export type Commitment = Bytes32 & Brand<`0x${string}`, "Commitment">;

/** The EIP-712 struct hash of a transition, as events carry it. */
export type TransitionHash = Bytes32 & Brand<`0x${string}`, "TransitionHash">;

/** What a member signs: an EIP-712 digest, bound to chain and group. */
export type Digest = Bytes32 & Brand<`0x${string}`, "Digest">;

/** An account or contract, in lower case. */
export type Address = Hex & Brand<`0x${string}`, "Address">;

/** A whole number from 0 to 2^64 - 1. */
export type Uint64 = Brand<bigint, "Uint64">;

export const UINT64_MAX: Uint64 = parseUint64((1n << 64n) - 1n);
export const ZERO_BYTES32: Bytes32 = parseBytes32(`0x${"00".repeat(32)}`);

export function parseIntentId(value: unknown, name = "intent id"): IntentId {
  return parseBytes32(value, name) as IntentId;
}

export function parseStateId(value: unknown, name = "state id"): StateId {
  return parseBytes32(value, name) as StateId;
}

export function parseCommitment(
  value: unknown,
  name = "commitment",
): Commitment {
  return parseBytes32(value, name) as Commitment;
}

export function parseTransitionHash(
  value: unknown,
  name = "transition hash",
): TransitionHash {
  return parseBytes32(value, name) as TransitionHash;
}

export function parseDigest(value: unknown, name = "digest"): Digest {
  return parseBytes32(value, name) as Digest;
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** An address. Mixed case must carry a correct checksum (EIP-55), which finds almost every slip of the pen. */
export function parseAddress(value: unknown, name = "address"): Address {
  if (
    typeof value !== "string" ||
    value.length !== 42 ||
    !ADDRESS.test(value)
  ) {
    throw new LedgerInputError(
      "INVALID_VALUE",
      `${name} must be 40 hexadecimal digits after "0x", but is ${describe(value)}.`,
    );
  }
  const address = value.toLowerCase() as Address;
  const digits = value.slice(2);
  const isMixed =
    digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (isMixed && checksumAddress(address) !== value) {
    throw new LedgerInputError(
      "INVALID_VALUE",
      `${name} ${value} has a wrong checksum. Copy it again, or write it in lower case.`,
    );
  }
  return address;
}

/** The address as people compare it, with the checksum of EIP-55. */
export function checksumAddress(address: Address): string {
  const digits = address.slice(2);
  const ascii = Uint8Array.from(digits, (digit) => digit.charCodeAt(0));
  const hash = keccak256Hex(ascii).slice(2);
  return `0x${Array.from(digits, (digit, i) => ((hash[i] ?? "0") >= "8" ? digit.toUpperCase() : digit)).join("")}`;
}

const DECIMAL = /^(?:0|[1-9][0-9]{0,19})$/;

/** A number below 2^64: a bigint, an exact number, or, as in JSON, decimal digits. */
export function parseUint64(value: unknown, name = "number"): Uint64 {
  const parsed = toBigint(value);
  if (parsed === undefined || parsed < 0n || parsed >> 64n !== 0n) {
    throw new LedgerInputError(
      "INVALID_VALUE",
      `${name} must be a whole number from 0 to 2^64 - 1, but is ${describe(value)}.`,
    );
  }
  return parsed as Uint64;
}

function toBigint(value: unknown): bigint | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isSafeInteger(value))
    return BigInt(value);
  if (typeof value === "string" && DECIMAL.test(value)) return BigInt(value);
  return undefined;
}
