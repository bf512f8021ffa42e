import { keccak_256 } from "@noble/hashes/sha3.js";
import { createKeccak, type IHasher } from "hash-wasm";

import { type Bytes32, toBytes32 } from "./hex.ts";

/**
 * WebAssembly is several times as fast. It takes a moment to compile; until then, and where nobody may compile anything,
 * JavaScript gives the same hashes.
 */
let fast: IHasher | undefined;
createKeccak(256).then(
  (hasher) => {
    fast = hasher;
  },
  () => undefined,
);

const encoder = new TextEncoder();

/** The hash of bytes, or of a text in UTF-8. */
export function keccak256(data: Uint8Array | string): Uint8Array {
  return fast === undefined
    ? slowly(data)
    : fast.init().update(data).digest("binary");
}

/** The same, as hexadecimal digits. */
export function keccak256Hex(data: Uint8Array | string): Bytes32 {
  if (fast === undefined) return toBytes32(slowly(data));
  return `0x${fast.init().update(data).digest("hex")}` as Bytes32;
}

function slowly(data: Uint8Array | string): Uint8Array {
  return keccak_256(typeof data === "string" ? encoder.encode(data) : data);
}
