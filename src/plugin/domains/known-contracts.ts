import type { PrivateContract } from "./private-contracts.ts";

const known = new WeakSet<object>();

/** Remembers a private contract, so that it is recognised without loading what it is made of. */
export function rememberPrivateContract(contract: PrivateContract): void {
  known.add(contract);
}

/** Whether a value is a private contract. */
export function isPrivateContract(value: unknown): value is PrivateContract {
  return typeof value === "object" && value !== null && known.has(value);
}
