import type { ChainError } from "../ports.ts";

/** What it means that a node refused a transaction. */
export type Verdict =
  /** It has it, or has mined it. */
  | "taken"
  /** Its nonce is used up, by itself or by another. */
  | "used"
  /** A nonce before it is missing. */
  | "gap"
  /** It offers too little. */
  | "underpriced"
  /** The payer cannot pay. */
  | "funds"
  /** No node will ever take it. */
  | "rejected"
  /** Nobody knows. Sending it again does no harm. */
  | "unknown";

// The words of Geth, Nethermind, Besu, Erigon, Reth, Anvil and Hardhat. The order matters: "replacement underpriced" is
// no "already known".
const verdicts: readonly (readonly [RegExp, Verdict])[] = [
  [/underpriced|(fee|price)s?.{0,60}(too low|less than|below)/i, "underpriced"],
  [/feetoolow|max fee per gas less than block base fee/i, "underpriced"],
  [/already known|known transaction|already (imported|exists|in)/i, "taken"],
  [/alreadyknown|already_exists/i, "taken"],
  [/nonce.{0,20}(too low|already been used)|old ?nonce/i, "used"],
  [/nonce.{0,20}(too high|gap|too distant)/i, "gap"],
  [/insufficient (funds|balance)|enough funds|lack of funds/i, "funds"],
  [/exceeds.{0,40}gas|gas.{0,40}exceeds|gas limit too high/i, "rejected"],
  [/intrinsic gas|gas floor|floor data gas/i, "rejected"],
  [/requires at least \d+ gas/i, "rejected"],
  // A wrong chain id says nothing about the transaction: another chain has answered for a moment.
  [/oversized|invalid (sender|signature)/i, "rejected"],
  [/exceeds the configured cap|not supported/i, "rejected"],
  // Hardhat mines at once, and tells of what failed in the block as if it had refused it.
  [/revert|vm exception|out of gas|invalid opcode/i, "taken"],
];

/** Reads a refusal of `eth_sendRawTransaction`. */
export function verdictOf({ kind, message, data }: ChainError): Verdict {
  if (kind === "unreachable") return "unknown";
  if (data !== undefined) return "taken";
  return verdicts.find(([words]) => words.test(message))?.[1] ?? "unknown";
}
