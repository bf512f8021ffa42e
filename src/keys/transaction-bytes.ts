import { type Hex, keccak256Hex, toHex } from "../ledger/index.ts";
import type { UnsignedTransaction } from "./ports.ts";

// Transactions in RLP: a list of byte strings. Numbers have no leading zeros, and zero is empty. Those of EIP-1559 have a byte
// 0x02 in front; those for chains without it are signed with the id of the chain at the end (EIP-155).

const TYPE = Buffer.of(2);
const NO_TYPE = Buffer.of();
const NO_ACCESS_LIST = Buffer.of(0xc0);
/** Digits of r and s in a signature. */
const WORD_DIGITS = 64;

/** Signs a transaction: the bytes that a chain takes. */
export async function signTransaction(
  transaction: UnsignedTransaction,
  sign: (digest: Hex) => Promise<Hex>,
): Promise<Hex> {
  const { gasPrice, chainId } = transaction;
  if (gasPrice === undefined) {
    const fields = fieldsOf(transaction);
    const { parity, r, s } = await signatureOf(inList(TYPE, fields), sign);
    return toHex(
      inList(TYPE, [...fields, ...[parity, r, s].map(encodeNumber)]),
    );
  }
  const fields = legacyFieldsOf(transaction, gasPrice);
  const bound = [...fields, ...[chainId, 0n, 0n].map(encodeNumber)];
  const { parity, r, s } = await signatureOf(inList(NO_TYPE, bound), sign);
  const v = 2n * chainId + 35n + parity;
  return toHex(inList(NO_TYPE, [...fields, ...[v, r, s].map(encodeNumber)]));
}

async function signatureOf(
  bytes: Buffer,
  sign: (digest: Hex) => Promise<Hex>,
): Promise<{
  readonly parity: bigint;
  readonly r: bigint;
  readonly s: bigint;
}> {
  const signature = await sign(keccak256Hex(bytes));
  const r = signature.slice(2, 2 + WORD_DIGITS);
  const s = signature.slice(2 + WORD_DIGITS, 2 + 2 * WORD_DIGITS);
  const parity = signature.endsWith("1c") ? 1n : 0n;
  return { parity, r: BigInt(`0x${r}`), s: BigInt(`0x${s}`) };
}

function fieldsOf(transaction: UnsignedTransaction): readonly Buffer[] {
  return [
    encodeNumber(transaction.chainId),
    encodeNumber(BigInt(transaction.nonce)),
    encodeNumber(transaction.maxPriorityFeePerGas),
    encodeNumber(transaction.maxFeePerGas),
    encodeNumber(transaction.gasLimit),
    encodeBytes(bytesOf(transaction.to ?? "0x")),
    encodeNumber(transaction.value),
    encodeBytes(bytesOf(transaction.data)),
    NO_ACCESS_LIST,
  ];
}

function legacyFieldsOf(
  transaction: UnsignedTransaction,
  gasPrice: bigint,
): readonly Buffer[] {
  return [
    encodeNumber(BigInt(transaction.nonce)),
    encodeNumber(gasPrice),
    encodeNumber(transaction.gasLimit),
    encodeBytes(bytesOf(transaction.to ?? "0x")),
    encodeNumber(transaction.value),
    encodeBytes(bytesOf(transaction.data)),
  ];
}

function inList(type: Buffer, fields: readonly Buffer[]): Buffer {
  const length = fields.reduce((sum, field) => sum + field.length, 0);
  return Buffer.concat([type, header(0xc0, length), ...fields]);
}

function encodeNumber(value: bigint): Buffer {
  if (value === 0n) return encodeBytes(Buffer.alloc(0));
  return encodeBytes(numberBytes(value));
}

function encodeBytes(bytes: Buffer): Buffer {
  const [only] = bytes;
  if (bytes.length === 1 && only !== undefined && only < 0x80) return bytes;
  return Buffer.concat([header(0x80, bytes.length), bytes]);
}

/** Short lengths stand in the first byte, longer ones behind it. */
function header(offset: number, length: number): Buffer {
  if (length <= 55) return Buffer.of(offset + length);
  const bytes = numberBytes(length);
  return Buffer.concat([Buffer.of(offset + 55 + bytes.length), bytes]);
}

function numberBytes(value: number | bigint): Buffer {
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}
