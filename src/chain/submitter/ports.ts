import type { Address, Hex } from "../../ledger/index.ts";
import type { SubmissionFailure } from "../../protocol/events.ts";
import type { Digest, GroupAddress } from "../../protocol/ids.ts";
import type { Wallet } from "../../keys/wallet.ts";
import type { ChainClient, Faucet } from "../ports.ts";
import type { Payer } from "../../keys/ports.ts";
import type { Database } from "../../store/database.ts";
import type { NewSubmission, Submissions } from "../../store/submissions.ts";
import type { Timers } from "../../async/timers.ts";
import type { Chain } from "../chain.ts";
import type { FeeCaps } from "./fees.ts";
import type { Job } from "./job.ts";
import type { PublicEnd } from "./public-end.ts";

/** A call that shall be mined. If it is mined twice, the second time does nothing. */
export interface Submission {
  readonly digest: Digest;
  readonly group: GroupAddress;
  readonly to: Address;
  readonly data: Hex;
  /** Without it the node is asked. See `executeGasMax`. */
  readonly gasLimit?: bigint | undefined;
  /** The last block in which it can happen; 0 means no limit. */
  readonly validUntil: number;
  /** Who pays; without it, the payer of the group. */
  readonly payer?: Address | undefined;
}

/** A transaction that a user wants. It happens at most once. */
export type PublicSubmission = Pick<
  NewSubmission,
  "payer" | "userName" | "to" | "data" | "value" | "wanted"
> & {
  readonly digest: Digest;
  readonly gasLimit: bigint;
};

/** How to get transactions mined. */
export interface SubmitterOptions {
  readonly chainId: bigint;
  /** How many transactions of one payer may be on their way. */
  readonly inFlightMax: number;
  /** How many are sent at the same time. Nodes that mine at once want 1; Geth keeps 64 that came before an earlier one. */
  readonly sendsAtOnce: number;
  /** A transaction that is not mined after so many blocks is sent again, for more if need be. */
  readonly resubmitBlocks: number;
  /** When no block comes for so long, everything is sent again. */
  readonly resendMs: number;
  /** So many blocks on top of a transaction, nothing brings it back, and it is forgotten. */
  readonly settleBlocks: number;
  /** The tip to offer when the node suggests none. */
  readonly tip: bigint;
  readonly caps: FeeCaps;
  /** The fees of a replacement are at most so many times what is usual. */
  readonly raiseMax: number;
  /** A refusal is final when it was heard at so many heights in a row. */
  readonly refusalsMax: number;
  /** The limit for a call with unknown gas that the node cannot estimate, for it may build on one that is not mined. */
  readonly gasFallback: bigint;
  /** What a transfer of nothing costs. */
  readonly emptyGas: bigint;
  /** How often the same transaction of somebody else must be found at a nonce of ours before it is believed. */
  readonly foreignLooks: number;
}

export const GWEI = 1_000_000_000n;

/** Values for {@link SubmitterOptions} that suit most chains. */
export const submitterDefaults = {
  inFlightMax: 512,
  sendsAtOnce: 64,
  resubmitBlocks: 5,
  resendMs: 10_000,
  settleBlocks: 64,
  tip: GWEI,
  caps: { maxFee: 500n * GWEI, tip: 50n * GWEI },
  raiseMax: 4,
  refusalsMax: 3,
  gasFallback: 3_000_000n,
  emptyGas: 21_000n,
  foreignLooks: 3,
} as const;

/** What the submitter needs of its node. */
export interface SubmitterPorts {
  readonly client: ChainClient;
  readonly timers: Timers;
  readonly database: Database;
  /** At least one. */
  readonly payers: readonly Payer[];
  readonly wallet: Wallet;
  /** Gives users money, where that is possible. */
  readonly faucet: Faucet;
  /** The number of the last indexed block; -1 if there is none. */
  readonly height: () => number;
  /** False if another block is indexed with this number; undefined if nobody remembers which one is. */
  readonly isIndexed: (block: {
    readonly number: number;
    readonly hash: string;
  }) => boolean | undefined;
  readonly onProgress: (
    digest: Digest,
    progress: "nonce" | "submitted",
  ) => void;
  /** Success is not told: the indexer sees it. */
  readonly onFailed: (
    digest: Digest,
    failure: SubmissionFailure,
    reason: string,
    isRetryable: boolean,
  ) => void;
  /** How a user's transaction ended, inside a commit. The same may be told again; after a reorganisation, something else. */
  readonly onPublicEnd: (end: PublicEnd) => void;
  /** After that commit. */
  readonly onPublicEnded: () => void;
  /** A payer cannot get anything mined; undefined when it can again. */
  readonly onTrouble: (payer: Address, error: Error | undefined) => void;
}

/** What an account shares with the others. */
export interface AccountPorts extends SubmitterPorts {
  readonly chain: Chain;
  readonly submissions: Submissions;
  /** Undefined for an address whose key is gone: what is signed is still sent. */
  readonly payer: Payer | undefined;
  /** Something was signed for a job, so that its hashes are new. */
  readonly onSigned: (job: Job) => void;
  /** A job ended, or is none any more. */
  readonly onEnd: (job: Job, isForgotten: boolean) => void;
}

/** How a submission ended, as far as one can tell now. */
export type SubmissionEnd =
  | {
      readonly type: "mined";
      readonly block: number;
      readonly transactionHash: string;
    }
  | { readonly type: "failed"; readonly reason: string };
