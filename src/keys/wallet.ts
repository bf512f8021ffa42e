import { hkdfSync, randomBytes } from "node:crypto";

import { createRecent, recall, remember } from "../protocol/recent.ts";
import { ORDER, type PayerKey, payerKeyOf } from "./secp256k1.ts";

/** Bytes of the secret that all keys of a wallet come from. */
export const SECRET_BYTES = 32;

/** The keys of a node's users, one for each name. The secret stays inside. */
export interface Wallet {
  /** The same name always has the same key. */
  readonly keyOf: (name: string) => PayerKey;
  /** Tells wallets apart, and nothing of their secrets. */
  readonly print: string;
}

/** Keys that are kept at least. To make one again costs a multiplication on the curve. */
const KEPT = 1_024;
/** Changes when keys are to be derived in another way. */
const PURPOSE = "hardhat-sequencer identity 1:";
const PRINT_PURPOSE = "hardhat-sequencer wallet print 1";

/** A wallet that is gone with the process. */
export function createWallet(): Wallet {
  return walletOf(randomBytes(SECRET_BYTES));
}

/** The wallet with this secret. Whoever has the secret has all its keys; who has one key knows nothing of the others. */
export function walletOf(secret: Uint8Array): Wallet {
  const kept = createRecent<string, PayerKey>(KEPT);
  return {
    print: printOf(secret),
    keyOf: (name) => {
      const known = recall(kept, name);
      if (known !== undefined) return known;
      const key = payerKeyOf(derive(secret, name));
      remember(kept, name, key);
      return key;
    },
  };
}

function printOf(secret: Uint8Array): string {
  const bytes = hkdfSync("sha256", secret, "", PRINT_PURPOSE, 32);
  return Buffer.from(bytes).toString("hex");
}

/** HKDF (RFC 5869), with so many bits more than a key has that all keys are equally likely. */
function derive(secret: Uint8Array, name: string): string {
  const bytes = hkdfSync("sha256", secret, "", PURPOSE + name, 48);
  const number = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  const key = (number % (ORDER - 1n)) + 1n;
  return `0x${key.toString(16).padStart(64, "0")}`;
}
