import { type Hex, keccak256Hex, toHex } from "../../ledger/index.ts";
import type { UnsignedTransaction } from "../ports.ts";

// Transactions of EIP-1559 in RLP: 0x02, then a list of byte strings. Numbers have no leading zeros, and zero is empty.

const TYPE = Buffer.of(2);
const NO_ACCESS_LIST = Buffer.of(0xc0);
/** Digits of r and s in a signature. */
const WORD_DIGITS = 64;

/** Signs a transaction: the bytes that a chain takes. */
export async function signTransaction(
  transaction: UnsignedTransaction,
  sign: (digest: Hex) => Promise<Hex>,
): Promise<Hex> {
  const fields = fieldsOf(transaction);
  const signature = await sign(keccak256Hex(inList(fields)));
  const r = signature.slice(2, 2 + WORD_DIGITS);
  const s = signature.slice(2 + WORD_DIGITS, 2 + 2 * WORD_DIGITS);
  const parity = signature.endsWith("1c") ? 1n : 0n;
  const signed = [
    ...fields,
    encodeNumber(parity),
    encodeNumber(BigInt(`0x${r}`)),
    encodeNumber(BigInt(`0x${s}`)),
  ];
  return toHex(inList(signed));
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

function inList(fields: readonly Buffer[]): Buffer {
  const length = fields.reduce((sum, field) => sum + field.length, 0);
  return Buffer.concat([TYPE, header(0xc0, length), ...fields]);
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
