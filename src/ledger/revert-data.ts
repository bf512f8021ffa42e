import { decodeLedgerError } from "./decode-error.ts";
import type { LedgerError } from "./errors.ts";
import { type Hex, parseHex } from "./hex.ts";
import { LedgerInputError } from "./input-error.ts";

/** Where ethers, Hardhat and nodes put revert data, or the error that carries it, most telling first. */
const FIELDS = [
  "data",
  "error",
  "info",
  "cause",
  "result",
  "return",
  "returnData",
] as const;

/** ethers wraps what Hardhat wraps what the node said; five levels cover all of them. */
const DEPTH_MAX = 6;

/**
 * The revert data in something thrown by ethers, Hardhat or a JSON-RPC client; undefined when it carries none,
 * which means that the call may not have reached the ledger at all.
 */
export function revertDataOf(thrown: unknown): Hex | undefined {
  return search(thrown, 0);
}

/** What the ledger said in something thrown; undefined when nothing in it is revert data. */
export function ledgerErrorOf(thrown: unknown): LedgerError | undefined {
  const data = revertDataOf(thrown);
  return data === undefined ? undefined : decodeLedgerError(data);
}

function search(value: unknown, depth: number): Hex | undefined {
  if (typeof value === "string")
    return depth === 0 ? undefined : toRevertData(value);
  if (typeof value !== "object" || value === null || depth === DEPTH_MAX)
    return undefined;
  for (const field of FIELDS) {
    const found = search(read(value, field), depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function read(value: object, field: string): unknown {
  try {
    return Reflect.get(value, field);
  } catch {
    // A getter or proxy that throws tells us nothing about the revert.
    return undefined;
  }
}

function toRevertData(value: string): Hex | undefined {
  // Some nodes answer "Reverted 0x…".
  const hex = value.startsWith("Reverted ")
    ? value.slice("Reverted ".length)
    : value;
  try {
    return parseHex(hex);
  } catch (error) {
    if (error instanceof LedgerInputError) return undefined;
    throw error;
  }
}
