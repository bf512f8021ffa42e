import {
  type Address,
  type Bytes32,
  type CompactSignature,
  type Digest,
  type Hex,
  keccak256Hex,
  parseAddress,
  parseBytes32,
  parseDigest,
  parseHex,
  toBytes,
} from "../../ledger/index.ts";
import { readRlpList, RlpError, rlpList, rlpNumber } from "./rlp.ts";

/** Finds out which key made a signature; undefined if none can have made it. */
export type Recover = (
  digest: Digest,
  signature: CompactSignature,
) => Address | undefined;

/** A signed transaction of a chain. */
export interface ChainTransaction {
  readonly hash: Bytes32;
  readonly type: 0 | 2;
  readonly from: Address;
  /** Undefined: it creates a contract. */
  readonly to: Address | undefined;
  readonly nonce: number;
  readonly value: bigint;
  readonly data: Hex;
  readonly gasLimit: bigint;
  /** The most that it pays for gas, and of that to the miner. Of a legacy transaction, both are its gas price. */
  readonly maxFee: bigint;
  readonly tip: bigint;
  /** Undefined for a legacy transaction without EIP-155. */
  readonly chainId: bigint | undefined;
  readonly parity: 0 | 1;
  readonly r: Bytes32;
  readonly s: Bytes32;
}

/** Thrown for bytes that are no transaction of the chain. The message is what a node would answer. */
export class TransactionError extends Error {
  override readonly name = "TransactionError";
}

const FIELDS = 9;
const LEGACY_FIELDS = 6;

/** Decodes a signed transaction and finds its sender. Throws {@link TransactionError}. */
export function decodeTransaction(
  raw: Hex,
  recover: Recover,
): ChainTransaction {
  try {
    const first = Number.parseInt(raw.slice(2, 4), 16);
    if (first >= 0xc0) return decodeLegacy(raw, recover);
    if (first === 2) return decodeDynamic(raw, recover);
  } catch (error) {
    if (error instanceof RlpError) throw new TransactionError(error.message);
    throw error;
  }
  throw new TransactionError("transaction type not supported");
}

function decodeDynamic(raw: Hex, recover: Recover): ChainTransaction {
  const list = readRlpList(raw.slice(4));
  if (list.length !== FIELDS + 3)
    throw new TransactionError("rlp: wrong number of elements");
  const parity = list.number(FIELDS) === 1n ? 1 : 0;
  const signature = { parity, r: list.text(10), s: list.text(11) } as const;
  const payload = `0x02${rlpList(list.first(FIELDS))}`;
  return {
    hash: keccak256Hex(toBytes(raw)),
    type: 2,
    chainId: list.number(0),
    nonce: nonceOf(list.number(1)),
    tip: list.number(2),
    maxFee: list.number(3),
    gasLimit: list.number(4),
    to: toOf(list.text(5)),
    value: list.number(6),
    data: parseHex(`0x${list.text(7)}`),
    ...signedBy(payload, signature, recover),
  };
}

function decodeLegacy(raw: Hex, recover: Recover): ChainTransaction {
  const list = readRlpList(raw.slice(2));
  if (list.length !== LEGACY_FIELDS + 3)
    throw new TransactionError("rlp: wrong number of elements");
  const v = list.number(6);
  const chainId = v >= 35n ? (v - 35n) / 2n : undefined;
  const parity = (chainId === undefined ? v === 28n : v % 2n === 0n) ? 1 : 0;
  const signature = { parity, r: list.text(7), s: list.text(8) } as const;
  const fields = list.first(LEGACY_FIELDS);
  const bound =
    chainId === undefined ? fields : `${fields}${rlpNumber(chainId)}8080`;
  const gasPrice = list.number(1);
  return {
    hash: keccak256Hex(toBytes(raw)),
    type: 0,
    chainId,
    nonce: nonceOf(list.number(0)),
    tip: gasPrice,
    maxFee: gasPrice,
    gasLimit: list.number(2),
    to: toOf(list.text(3)),
    value: list.number(4),
    data: parseHex(`0x${list.text(5)}`),
    ...signedBy(`0x${rlpList(bound)}`, signature, recover),
  };
}

function signedBy(
  payload: string,
  signature: { readonly parity: 0 | 1; readonly r: string; readonly s: string },
  recover: Recover,
): Pick<ChainTransaction, "from" | "parity" | "r" | "s"> {
  const { parity } = signature;
  const r = parseBytes32(`0x${signature.r.padStart(64, "0")}`);
  const s = parseBytes32(`0x${signature.s.padStart(64, "0")}`);
  const digest = parseDigest(keccak256Hex(toBytes(parseHex(payload))));
  // A high s has the bit in which the compact form keeps the parity; nobody signs so (EIP-2).
  const isHigh = Number.parseInt(s.charAt(2), 16) >= 8;
  const top = Number.parseInt(s.charAt(2), 16) | (parity * 8);
  const vs = parseBytes32(`0x${top.toString(16)}${s.slice(3)}`);
  const from = isHigh ? undefined : recover(digest, { r, vs });
  if (from === undefined)
    throw new TransactionError("invalid transaction v, r, s values");
  return { from, parity, r, s };
}

function nonceOf(value: bigint): number {
  const nonce = Number(value);
  if (!Number.isSafeInteger(nonce))
    throw new TransactionError("nonce has max value");
  return nonce;
}

function toOf(digits: string): Address | undefined {
  if (digits === "") return undefined;
  if (digits.length !== 40)
    throw new TransactionError("rlp: wrong size for an address");
  return parseAddress(`0x${digits}`);
}
