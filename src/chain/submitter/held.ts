import { type FeeCaps, type Fees, bumpFees } from "./fees.ts";
import type { SignedJob } from "./job.ts";
import { GWEI } from "./ports.ts";

/** Why a transaction cannot offer more for gas. */
export function explainHeld(
  { saved }: SignedJob,
  caps: FeeCaps,
  limit: FeeCaps,
): string {
  const { nonce, payer, offer } = {
    ...saved,
    nonce: saved.signing.nonce,
    offer: inGwei(saved.signing),
  };
  const what = `Nonce ${nonce} of ${payer} offers ${offer}, is not mined, and cannot offer more`;
  const { maxFee, tip } = saved.wanted;
  if (bumpFees(saved.signing, saved.signing, caps) !== undefined)
    return `${what}: fees are not raised above ${inGwei(limit)}, a multiple of what is usual (feeRaiseMax).`;
  return maxFee !== undefined || tip !== undefined
    ? `${what}: its user set the fees.`
    : `${what}: the node pays at most ${inGwei(caps)}. Set maxFeeGwei and maxTipGwei higher, or wait until fees fall.`;
}

function inGwei({ maxFee, tip }: Fees): string {
  return `${gwei(maxFee)} gwei with a tip of ${gwei(tip)} gwei`;
}

/** Up to three decimals. */
function gwei(fee: bigint): string {
  return String(Number((fee * 1_000n) / GWEI) / 1_000);
}
