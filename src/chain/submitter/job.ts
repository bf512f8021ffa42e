import type { Address } from "../../ledger/index.ts";
import type { SubmissionFailure } from "../../protocol/events.ts";
import type { SavedSubmission } from "../../store/submissions.ts";
import type { NonceSearch } from "./nonce-search.ts";

/** Where a transaction is on the chain, or the one of somebody else that used its nonce. */
export interface Outcome {
  readonly block: number;
  readonly transactionHash: string;
  readonly transactionIndex: number;
  readonly isSuccess: boolean;
  /** Unlike ours, a transfer of nothing writes no logs. */
  readonly hasLogs: boolean;
  readonly contractAddress: Address | undefined;
}

/** Why a submission will not happen. */
export interface Failed {
  readonly failure: SubmissionFailure;
  readonly reason: string;
  readonly isRetryable: boolean;
}

/** A submission, with what is known of it since the start. Only its account changes it. */
export interface Job {
  saved: SavedSubmission;
  /** A node took what was signed last. */
  isSent: boolean;
  /** A node took something that was signed for it, at some time. */
  wasTaken: boolean;
  /** A node wants more for it. */
  isUnderpriced: boolean;
  /** The height when it was signed last. Its fees are raised at most once for each block. */
  raisedAt: number;
  /** Which limit keeps it from offering more, or which refusal from being sent. */
  held: string | undefined;
  /** How often in a row nodes refused it for good, each time at another height. */
  refusal: { readonly epoch: number; readonly times: number } | undefined;
  /** The height when it was signed or sent last. */
  sentAt: number;
  outcome: Outcome | undefined;
  failed: Failed | undefined;
  /** It can no longer happen, so its nonce is to be used up by a transfer of nothing. */
  isDoomed: boolean;
  /** How often its nonce was used and none of its transactions had a receipt. */
  looks: number;
  /** For the block in which its nonce was used, while there is no receipt. */
  search: NonceSearch | undefined;
  /** The block and the transaction of somebody else that used its nonce, as found so many times in a row. */
  foreign: { readonly found: string; readonly times: number } | undefined;
}

/** A job with a nonce. */
export interface SignedJob extends Job {
  saved: SavedSubmission & {
    readonly signing: NonNullable<SavedSubmission["signing"]>;
  };
}

export function newJob(saved: SavedSubmission, height: number): Job {
  return {
    saved,
    isSent: false,
    wasTaken: false,
    isUnderpriced: false,
    raisedAt: height,
    held: undefined,
    refusal: undefined,
    sentAt: height,
    outcome: undefined,
    failed: undefined,
    isDoomed: saved.digest === undefined || saved.emptyHashes.length > 0,
    looks: 0,
    search: undefined,
    foreign: undefined,
  };
}

export function isSigned(job: Job): job is SignedJob {
  return job.saved.signing !== undefined;
}

/** It has a nonce that is not used yet, as of a chain on which the payer has sent `count` transactions. */
export function isWaiting(job: Job, count: number): job is SignedJob {
  return (
    isSigned(job) &&
    job.outcome === undefined &&
    job.saved.signing.nonce >= count
  );
}

/** It is to be replaced by a transfer of nothing, and that is not signed yet. */
export function mustBeEmptied({ isDoomed, saved }: Job): boolean {
  return isDoomed && saved.emptyHashes.length === 0;
}

/** No block above `height` takes it any more. */
export function isExpired(
  { saved, outcome, failed }: Job,
  { count, height }: { readonly count: number; readonly height: number },
): boolean {
  const { validUntil, signing } = saved;
  const isOpen =
    outcome === undefined && failed === undefined && validUntil > 0;
  const isUnused = signing === undefined || signing.nonce >= count;
  return isOpen && isUnused && height >= validUntil;
}

/** No reorganisation brings it back, as blocks up to `final` stay; or it failed without ever having had a nonce. */
export function isOver(
  { saved, outcome, failed, isDoomed }: Job,
  final: number,
): boolean {
  return outcome === undefined
    ? saved.signing === undefined && (failed !== undefined || isDoomed)
    : outcome.block <= final;
}
