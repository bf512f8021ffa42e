import { createRequire } from "node:module";

import { type Hex, toBytes, toHex } from "./hex.ts";
import type { Address, Digest } from "./ids.ts";
import { keccak256 } from "./keccak.ts";
import type { CompactSignature } from "./signature.ts";

/** Signatures over digests. */
export interface Curve {
  /** Signs with a private key, a digest always in the same way: 65 bytes, r, s and v. */
  readonly signer: (privateKey: Hex) => (digest: Hex) => Hex;
  /** The address whose key made a signature. Its numbers must be in range. Throws if no key can have made it. */
  readonly recover: (digest: Digest, signature: CompactSignature) => Address;
}

/** What we use of libsecp256k1. */
interface Library {
  ecdsaSign(
    digest: Uint8Array,
    key: Uint8Array,
  ): { readonly signature: Uint8Array; readonly recid: number };
  ecdsaRecover(
    signature: Uint8Array,
    parity: number,
    digest: Uint8Array,
    isCompressed: false,
  ): Uint8Array;
}

/** With libsecp256k1, which comes compiled for the usual machines; undefined on others. */
export const nativeCurve: Curve | undefined = loadNative();

function loadNative(): Curve | undefined {
  let library: Library;
  try {
    // Not the package's own entry: where nothing is compiled, that has yet another implementation.
    library = createRequire(import.meta.url)(
      "secp256k1/bindings.js",
    ) as Library;
  } catch {
    return undefined;
  }
  return {
    signer: (privateKey) => {
      const key = toBytes(privateKey);
      return (digest) => {
        const { signature, recid } = library.ecdsaSign(toBytes(digest), key);
        return `${toHex(signature)}${recid === 0 ? "1b" : "1c"}` as Hex;
      };
    },
    recover: (digest, { r, vs }) => {
      const bytes = toBytes(`${r}${vs.slice(2)}` as Hex);
      const highest = bytes[32] ?? 0;
      bytes[32] = highest & 0x7f;
      const parity = highest >> 7;
      const key = library.ecdsaRecover(bytes, parity, toBytes(digest), false);
      return toHex(keccak256(key.subarray(1)).subarray(12)) as Hex & Address;
    },
  };
}
