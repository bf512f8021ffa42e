import { hash } from "node:crypto";

/** For what the ledger never computes itself: this hash is native, and several times as fast as the ledger's. */
export function sha256Hex(data: string | Uint8Array): string {
  return `0x${hash("sha256", data, "hex")}`;
}
