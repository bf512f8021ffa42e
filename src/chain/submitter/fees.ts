import { ChainError } from "../ports.ts";
import type { SavedSubmission } from "../../store/submissions.ts";
import type { Chain } from "../chain.ts";
import type { SignedJob } from "./job.ts";

/** What a transaction offers for gas (EIP-1559). */
export interface Fees {
  readonly maxFee: bigint;
  readonly tip: bigint;
}

/** The most that is ever offered. */
export type FeeCaps = Fees;

/** Twice the base fee keeps a transaction valid through six full blocks. */
export function suggestFees(
  { baseFee, tip }: { readonly baseFee: bigint; readonly tip: bigint },
  caps: FeeCaps,
): Fees {
  return capped({ maxFee: 2n * baseFee + tip, tip }, caps);
}

/** What is usual on a chain. */
export interface UsualFees extends Fees {
  /** The chain has no base fee: `maxFee` is the price of gas, and there is no tip. */
  readonly isLegacy: boolean;
}

/** What is usual on a chain now. */
export async function usualFees(
  chain: Chain,
  options: { readonly tip: bigint; readonly caps: FeeCaps },
): Promise<UsualFees> {
  const head = await chain.header("latest");
  if (head !== undefined && head.baseFee === undefined) {
    const price = { maxFee: await chain.gasPrice(), tip: 0n };
    return { ...capped(price, options.caps), isLegacy: true };
  }
  const tip = await suggestedTip(chain, options.tip);
  const fees = suggestFees({ baseFee: head?.baseFee ?? 0n, tip }, options.caps);
  return { ...fees, isLegacy: false };
}

/** Nodes that suggest none refuse to. */
async function suggestedTip(chain: Chain, otherwise: bigint): Promise<bigint> {
  try {
    return await chain.suggestedTip();
  } catch (error) {
    const isRefusal = error instanceof ChainError && error.kind === "refused";
    if (isRefusal) return otherwise;
    throw error;
  }
}

/** What a submission offers at first: what its user wants, otherwise what is usual. */
export function firstFees(
  { wanted }: Pick<SavedSubmission, "wanted">,
  usual: Fees,
): Fees {
  const tip = wanted.tip ?? usual.tip;
  const maxFee = wanted.maxFee ?? max(usual.maxFee, tip);
  return { maxFee, tip: min(tip, maxFee) };
}

/** The most that a submission may offer: its user's word counts, unless only its nonce is to be used up. */
export function capsOf(
  { wanted }: Pick<SavedSubmission, "wanted">,
  caps: FeeCaps,
  { isEmpty }: { readonly isEmpty: boolean },
): FeeCaps {
  const maxFee = wanted.maxFee ?? caps.maxFee;
  const tip = wanted.tip ?? caps.tip;
  return isEmpty
    ? { maxFee: max(maxFee, caps.maxFee), tip: max(tip, caps.tip) }
    : { maxFee, tip };
}

/** Fees are never raised above so many times what is usual, nor above the caps. */
export function raiseCaps(
  caps: FeeCaps,
  usual: Fees,
  { raiseMax, tip }: { readonly raiseMax: number; readonly tip: bigint },
): FeeCaps {
  const times = BigInt(raiseMax);
  return {
    maxFee: min(caps.maxFee, times * max(usual.maxFee, tip)),
    tip: min(caps.tip, times * max(usual.tip, tip)),
  };
}

/** What a transaction costs at most, with all that it passes on. */
export function costOf({
  value,
  gasLimit = 0n,
  signing,
}: Pick<SignedJob["saved"], "value" | "gasLimit" | "signing">): bigint {
  return value + gasLimit * signing.maxFee;
}

/**
 * The fees of a replacement: an eighth more, which all nodes take, or what is suggested if that is more. Undefined if the
 * caps leave no room for it.
 */
export function bumpFees(
  old: Fees,
  suggested: Fees,
  caps: FeeCaps,
): Fees | undefined {
  const least = { maxFee: bumped(old.maxFee), tip: bumped(old.tip) };
  const fees = capped(
    {
      maxFee: max(least.maxFee, suggested.maxFee),
      tip: max(least.tip, suggested.tip),
    },
    caps,
  );
  return fees.maxFee < least.maxFee || fees.tip < least.tip ? undefined : fees;
}

/** Whether a transaction with these fees is worth less than one that is signed now. */
export function isOutbid(fees: Fees, suggested: Fees): boolean {
  return fees.maxFee < suggested.maxFee || fees.tip < suggested.tip;
}

function bumped(fee: bigint): bigint {
  return fee + fee / 8n + 1n;
}

function capped({ maxFee, tip }: Fees, caps: FeeCaps): Fees {
  const fee = min(maxFee, caps.maxFee);
  return { maxFee: fee, tip: min(min(tip, caps.tip), fee) };
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
