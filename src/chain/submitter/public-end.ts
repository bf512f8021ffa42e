import { type Address, type Hex, revertDataOf } from "../../ledger/index.ts";
import type { Digest } from "../../protocol/ids.ts";
import type { SavedSubmission } from "../../store/submissions.ts";
import type { Chain } from "../chain.ts";
import type { Outcome, SignedJob } from "./job.ts";
import type { NonceUse } from "./nonce-search.ts";
import { replay } from "./outcome.ts";

/** A user's transaction, as far as it is known to the base ledger. */
export interface SentTransaction {
  readonly from: Address;
  readonly to: Address | undefined;
  readonly data: Hex;
  readonly value: bigint;
  readonly gasLimit: bigint;
  /** Undefined until it is signed. */
  readonly nonce: number | undefined;
  readonly transactionHash: string | undefined;
}

/** How a user's transaction ended. */
export interface PublicEnd {
  readonly digest: Digest;
  readonly transaction: SentTransaction;
  /** Where its nonce was used, by itself or by another transaction; undefined if it never had one. */
  readonly place:
    | {
        readonly block: number;
        readonly transactionHash: string;
        readonly transactionIndex: number;
      }
    | undefined;
  /** What it created. */
  readonly contractAddress: Address | undefined;
  readonly failure: PublicFailure | undefined;
}

/** Why a user's transaction did not do what he wanted. */
export type PublicFailure =
  | { readonly type: "reverted"; readonly data: Hex | undefined }
  /** It did not happen at all. */
  | { readonly type: "dropped"; readonly reason: string };

/** What is known of a user's transaction. The hash is that of what was signed last. */
export function sentOf(saved: SavedSubmission, data: Hex): SentTransaction {
  const { payer: from, to, value, gasLimit = 0n, signing, hashes } = saved;
  return {
    from,
    to,
    data,
    value,
    gasLimit,
    nonce: signing?.nonce,
    transactionHash: signing && hashes.at(-1),
  };
}

/** How a user's transaction ended that is in a block. */
export async function publicEndOf(
  chain: Chain,
  {
    digest,
    saved,
    data,
    reason,
  }: {
    readonly digest: Digest;
    readonly saved: SavedSubmission;
    readonly data: Hex;
    /** Why it was given up, if it was. */
    readonly reason: string | undefined;
  },
  outcome: Outcome,
): Promise<PublicEnd> {
  const { block, transactionHash, transactionIndex, isSuccess } = outcome;
  const isEmpty = saved.emptyHashes.includes(transactionHash);
  const end = {
    digest,
    transaction: { ...sentOf(saved, data), transactionHash },
    place: { block, transactionHash, transactionIndex },
    contractAddress: undefined,
  };
  if (isEmpty)
    return {
      ...end,
      failure: {
        type: "dropped",
        reason: `${reason ?? "No node took it."} An empty transaction has used up its nonce.`,
      },
    };
  if (isSuccess) {
    const { contractAddress } = outcome;
    return { ...end, contractAddress, failure: undefined };
  }
  const { payer: from, to, value, gasLimit: gas } = saved;
  const call = { from, to, data, value, gas };
  const revert = await replay(chain, call, block, revertDataOf);
  return { ...end, failure: { type: "reverted", data: revert } };
}

/** How a user's transaction ended whose nonce somebody else used. */
export function foreignEndOf(
  digest: Digest,
  saved: SignedJob["saved"],
  data: Hex,
  use: NonceUse,
): PublicEnd {
  const { block, transactionHash, transactionIndex } = use;
  const reason = `Another transaction of ${saved.payer}, ${transactionHash} in block ${block}, has its nonce, ${saved.signing.nonce}. Send it again if it is still wanted.`;
  return {
    digest,
    transaction: sentOf(saved, data),
    place: { block, transactionHash, transactionIndex },
    contractAddress: undefined,
    failure: { type: "dropped", reason },
  };
}
