import { type Hex, keccak256, toBytes, toHex } from "../../ledger/index.ts";
import type { EmittedLog } from "./block.ts";

const BYTES = 256;
const known = new Map<string, readonly number[]>();
/** Addresses and names of events come again and again; ids of intents do not. */
const KNOWN_MAX = 10_000;

export const EMPTY_BLOOM: string = toHex(new Uint8Array(BYTES));

/** The filter in the header of a block: three bits of 2,048 for each address and topic of its logs. */
export function bloomOf(logs: readonly EmittedLog[]): string {
  if (logs.length === 0) return EMPTY_BLOOM;
  const bytes = new Uint8Array(BYTES);
  const set = (value: Hex): void => {
    for (const bit of bitsOf(value)) {
      const at = BYTES - 1 - (bit >> 3);
      bytes[at] = (bytes[at] ?? 0) | (1 << (bit & 7));
    }
  };
  for (const { address, topics } of logs) {
    set(address);
    for (const topic of topics) set(topic);
  }
  return toHex(bytes);
}

function bitsOf(value: Hex): readonly number[] {
  const found = known.get(value);
  if (found !== undefined) return found;
  const hash = keccak256(toBytes(value));
  const bits = [0, 2, 4].map(
    (i) => (((hash[i] ?? 0) << 8) | (hash[i + 1] ?? 0)) & 2047,
  );
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(value, bits);
  return bits;
}
