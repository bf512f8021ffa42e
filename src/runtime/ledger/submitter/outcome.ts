import {
  type Address,
  explainLedgerError,
  type Hex,
  type LedgerError,
  ledgerErrorOf,
} from "../../../ledger/index.ts";
import { ChainError } from "../../ports.ts";
import type { Chain } from "../chain.ts";
import type { Failed, Outcome } from "./job.ts";

/** Where one of these transactions is, the latest tried first. One above the height has no place yet. */
export async function findOutcome(
  chain: Chain,
  hashes: readonly string[],
  height: number,
): Promise<Outcome | "later" | undefined> {
  for (const hash of hashes.toReversed()) {
    const receipt = await chain.receiptOf(hash);
    if (receipt === undefined) continue;
    const { blockNumber: block, isSuccess, logs } = receipt;
    if (block > height) return "later";
    const hasLogs = logs.length > 0;
    return { block, transactionHash: hash, isSuccess, hasLogs };
  }
  return undefined;
}

/** A call, as it was signed. */
export interface SignedCall {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
}

/** Why a transaction in a block is a failure; undefined if it is none. */
export async function failureOf(
  chain: Chain,
  call: SignedCall,
  { block, isSuccess, hasLogs }: Outcome,
  isDoomed: boolean,
): Promise<Failed | undefined> {
  if (isSuccess && hasLogs) return undefined;
  if (!isSuccess && !isDoomed) return await explainRevert(chain, call, block);
  return {
    failure: isDoomed ? "rejected" : "reverted",
    reason: isDoomed
      ? "An empty transaction was mined in its place."
      : `The transaction did nothing: there is no contract at ${call.to}.`,
    isRetryable: true,
  };
}

/** No try with the same intents gets further than one that was malformed or badly endorsed. */
const HOPELESS: ReadonlySet<LedgerError["type"]> = new Set([
  "PrivacyGroupNotAnInstance",
  "PrivacyGroupNoIntent",
  "PrivacyGroupTransitionTooLarge",
  "PrivacyGroupInputWithoutSuccessor",
  "PrivacyGroupInputsNotAscending",
  "PrivacyGroupUnknownSigners",
  "PrivacyGroupSignatureCount",
  "PrivacyGroupInvalidEndorsement",
  "PrivacyGroupThresholdNotReached",
  "PrivacyGroupExternalCallsDisabled",
]);

/**
 * Why a transaction reverted. The same call is made on the chain as it was after the block: whatever stood in its way was
 * there by then. If it would succeed there, it is made on the chain as it was before.
 */
async function explainRevert(
  chain: Chain,
  call: SignedCall,
  block: number,
): Promise<Failed> {
  for (const at of [block, block - 1]) {
    const error = await revertOf(chain, call, at);
    if (error === undefined) continue;
    const isExpired = error.type === "PrivacyGroupExpired";
    return {
      failure: isExpired ? "expired" : "reverted",
      reason: `${error.type}: ${explainLedgerError(error)}`,
      isRetryable: !HOPELESS.has(error.type),
    };
  }
  const reason = "The transaction reverted, and the chain does not tell why.";
  return { failure: "reverted", reason, isRetryable: true };
}

async function revertOf(
  chain: Chain,
  call: SignedCall,
  block: number,
): Promise<LedgerError | undefined> {
  try {
    await chain.call(call, block);
    return undefined;
  } catch (error) {
    if (!(error instanceof ChainError) || error.kind === "unreachable")
      throw error;
    return ledgerErrorOf(error);
  }
}
