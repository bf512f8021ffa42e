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
