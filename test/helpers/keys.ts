import { computeAddress } from "ethers";

import {
  type Address,
  type Digest,
  parseAddress,
  parseHex,
} from "../../src/ledger/index.ts";
import { curve } from "../../src/ledger/secp256k1.ts";

/** A throw-away key. Never use it for anything of value. */
export interface Signer {
  readonly address: Address;
  readonly sign: (digest: Digest) => string;
}

const signers = new Map<number, Signer>();

/** The signer with this number, the same in every run. */
export function aSigner(number: number): Signer {
  const known = signers.get(number);
  if (known !== undefined) return known;
  const key = parseHex(`0x${(number + 1).toString(16).padStart(64, "0")}`);
  const signer = {
    address: parseAddress(computeAddress(key)),
    sign: curve.signer(key),
  };
  signers.set(number, signer);
  return signer;
}

/** The first `count` signers, in ascending order of their addresses. */
export function signersInOrder(count: number, first = 0): readonly Signer[] {
  return Array.from({ length: count }, (_, i) => aSigner(first + i)).sort(
    (a, b) => (a.address < b.address ? -1 : 1),
  );
}
