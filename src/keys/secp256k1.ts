import { computeAddress, SigningKey } from "ethers";

import { type Hex, parseAddress, parseHex } from "../ledger/index.ts";
import type { Endorser, Payer } from "./ports.ts";
import { curveThread } from "./curve-thread.ts";
import { KeyError } from "./key-error.ts";
import { signTransaction } from "./transaction-bytes.ts";

/** Endorses with a raw private key: 32 bytes, as hexadecimal digits. */
export function createEndorser(privateKey: unknown): Endorser {
  const key = parseKey(privateKey);
  return {
    address: parseAddress(computeAddress(key)),
    sign: async (digest) => await curveThread.sign(key, digest),
  };
}

/** A payer, and the key that others can check its signatures with. */
export interface PayerKey extends Payer {
  /** Uncompressed: 65 bytes, the first one 4. */
  readonly publicKey: Hex;
}

/** Pays with a raw private key: 32 bytes, as hexadecimal digits. */
export function createPayer(privateKey: unknown): Payer {
  const { address, signTransaction } = payerKeyOf(privateKey);
  return { address, signTransaction };
}

/** The same, with the public key. */
export function payerKeyOf(privateKey: unknown): PayerKey {
  const key = parseKey(privateKey);
  const publicKey = parseHex(SigningKey.computePublicKey(key));
  return {
    publicKey,
    address: parseAddress(computeAddress(publicKey)),
    signTransaction: async (unsigned) =>
      await signTransaction(
        unsigned,
        async (digest) => await curveThread.sign(key, digest),
      ),
  };
}

/** Private keys are from 1 to one less than this. */
export const ORDER =
  0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The error must not say what was passed: it may be a key with one digit too many. */
function parseKey(value: unknown): Hex {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value)) {
    const number = BigInt(value);
    if (number > 0n && number < ORDER) return parseHex(value);
  }
  throw new KeyError(
    "INVALID",
    'A private key has 64 hexadecimal digits after "0x", and is neither 0 nor too large. This one (not shown) is none.',
  );
}
