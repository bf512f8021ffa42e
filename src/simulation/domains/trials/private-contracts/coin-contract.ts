import {
  type Hex,
  keccak256,
  parseHex,
  toBytes,
  toHex,
} from "../../../../ledger/index.ts";

// A contract that is as small as can be, and whose calls must not change places: pay(a, b, amount) takes an amount from
// balance a, if there is so much, and adds it to balance b; if a is 0, nobody pays. An odd amount also becomes part of a
// number that depends on all odd amounts before it, and on their order.

/** Where balances are: far from each other, so that not all calls touch the same page of storage. */
export const balances: readonly bigint[] = [100n, 200n, 300n, 400n, 500n];

/** Where the number is that depends on the order. */
export const ORDER = 0xffffn;

const code = [
  "600035", // a
  "8015601757", // if it is 0, go on at 17
  "8054604035", // its balance, and the amount
  "808210603c57", // if the balance is less, go on at 3c
  "90038155", // the balance is less by the amount
  "5b50", // 17:
  "604035602035", // the amount, and b
  "805482019055", // its balance is more by the amount
  "8060011615603a57", // if the amount is even, go on at 3a
  "61ffff54601f020161ffff5500", // the number is 31 times itself and the amount, and that is all
  "5b00", // 3a: that is all
  "5b600080fd", // 3c: revert
].join("");

const size = (code.length / 2).toString(16);

/** Deploys it: returns what follows these 9 bytes. */
export const bytecode: Hex = parseHex(`0x60${size}8060093d393df3${code}`);

/** Calls it. */
export function encodePay(
  ...words: readonly [a: bigint, b: bigint, amount: bigint]
): Hex {
  const digits = words.map((word) => word.toString(16).padStart(64, "0"));
  return parseHex(`0x${digits.join("")}`);
}

/** The first contract of an account: `keccak256(rlp([account, 0]))`, without the first 12 bytes. */
export function firstContractOf(account: Hex): Hex {
  const bytes = Uint8Array.of(0xd6, 0x94, ...toBytes(account), 0x80);
  return toHex(keccak256(bytes).slice(12));
}
