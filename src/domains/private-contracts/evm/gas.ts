import type { Common } from "@ethereumjs/common";

// What a transaction costs before and after its code runs. Gas is not paid for here; it bounds the work, and contracts that
// look at it find what they would find on a chain.

const TRANSACTION = 21_000n;
const CREATION = 32_000n;
const INIT_CODE_WORD = 2n;
const TOKEN = 4n;
const TOKEN_AT_LEAST = 10n;
const REFUND_SHARE = 5n;

/** A zero counts as one token, any other byte as four. */
function tokensOf(data: Uint8Array): bigint {
  return BigInt(data.reduce((sum, byte) => sum + (byte === 0 ? 1 : 4), 0));
}

/** What is due before the first instruction. */
export function intrinsicGas(
  common: Common,
  data: Uint8Array,
  isCreation: boolean,
): bigint {
  const base = TRANSACTION + TOKEN * tokensOf(data);
  if (!isCreation) return base;
  const words = common.isActivatedEIP(3860)
    ? BigInt(Math.ceil(data.length / 32))
    : 0n;
  return base + CREATION + INIT_CODE_WORD * words;
}

/** What is due in the end. */
export function totalGas(
  common: Common,
  data: Uint8Array,
  { spent, refund }: { readonly spent: bigint; readonly refund: bigint },
): bigint {
  const refundMax = spent / REFUND_SHARE;
  const used = spent - (refund < refundMax ? refund : refundMax);
  const least = floorGas(common, data);
  return used > least ? used : least;
}

/** What is due in any case. */
export function floorGas(common: Common, data: Uint8Array): bigint {
  return common.isActivatedEIP(7623)
    ? TRANSACTION + TOKEN_AT_LEAST * tokensOf(data)
    : 0n;
}
