import {
  explainLedgerError,
  type LedgerError,
  ledgerErrorOf,
} from "../../ledger/index.ts";
import { ChainError } from "../ports.ts";
import type { Chain, ChainCall } from "../chain.ts";
import type { Failed, Outcome } from "./job.ts";
import { type Index, isIndexedBlock } from "./indexed.ts";

/** Where one of these transactions is, the latest tried first. One above what is indexed has no place yet. */
export async function findOutcome(
  chain: Chain,
  hashes: readonly string[],
  index: Index,
): Promise<Outcome | "later" | undefined> {
  for (const hash of hashes.toReversed()) {
    const receipt = await chain.receiptOf(hash);
    if (receipt === undefined) continue;
    const { blockNumber: block, blockHash, logs } = receipt;
    // A block that is not the indexed one belongs to a chain that the indexer will find out about.
    const place = { number: block, hash: blockHash };
    if (!(await isIndexedBlock(chain, place, index))) return "later";
    const { transactionIndex, isSuccess, contractAddress } = receipt;
    return {
      block,
      transactionHash: hash,
      transactionIndex,
      isSuccess,
      hasLogs: logs.length > 0,
      contractAddress,
    };
  }
  return undefined;
}

/** Why a transaction in a block is a failure; undefined if it is none. */
export async function failureOf(
  chain: Chain,
  call: ChainCall,
  { block, isSuccess, hasLogs }: Outcome,
  isDoomed: boolean,
): Promise<Failed | undefined> {
  if (isSuccess && hasLogs) return undefined;
  if (!isSuccess && !isDoomed) return await explainRevert(chain, call, block);
  return {
    failure: isDoomed ? "rejected" : "reverted",
    reason: isDoomed
      ? "An empty transaction was mined in its place."
      : `The transaction did nothing: there is no contract at ${call.to ?? "an address"}.`,
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

async function explainRevert(
  chain: Chain,
  call: ChainCall,
  block: number,
): Promise<Failed> {
  const error = await replay(chain, call, block, ledgerErrorOf);
  if (error === undefined) {
    const reason = "The transaction reverted, and the chain does not tell why.";
    return { failure: "reverted", reason, isRetryable: true };
  }
  const isExpired = error.type === "PrivacyGroupExpired";
  return {
    failure: isExpired ? "expired" : "reverted",
    reason: `${error.type}: ${explainLedgerError(error)}`,
    isRetryable: !HOPELESS.has(error.type),
  };
}

/**
 * Makes the call of a transaction that reverted again, to hear why. First on the chain as it was after the block: whatever
 * stood in its way was there by then. If it would succeed there, on the chain as it was before. Undefined if neither tells.
 */
export async function replay<Reason>(
  chain: Chain,
  call: ChainCall,
  block: number,
  read: (error: ChainError) => Reason | undefined,
): Promise<Reason | undefined> {
  for (const at of [block, block - 1])
    try {
      await chain.call(call, at);
    } catch (error) {
      if (!(error instanceof ChainError) || error.kind === "unreachable")
        throw error;
      const reason = read(error);
      if (reason !== undefined) return reason;
    }
  return undefined;
}
