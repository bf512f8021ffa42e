/** What gas costs now, and at most. */
export type Fees =
  | {
      readonly type: "eip1559";
      readonly maxFeePerGas: bigint;
      readonly maxPriorityFeePerGas: bigint;
    }
  | { readonly type: "legacy"; readonly gasPrice: bigint };

/** Transactions of a deployment, in order. */
export type StepName =
  "funding" | "proxy" | "factory" | "atomFactory" | "group";

/** Gas of every step that is still to do. */
export type GasOfSteps = Readonly<Partial<Record<StepName, bigint>>>;

/** The price of gas in the next block, as far as one can know. The cap is twice the base fee plus the tip. */
export function currentPrice(fees: Fees): bigint {
  if (fees.type === "legacy") return fees.gasPrice;
  const { maxFeePerGas: max, maxPriorityFeePerGas: tip } = fees;
  return max > tip ? (max - tip) / 2n + tip : max;
}

/** The highest price that a transaction offers; nodes want to see it in the sender's balance. */
export function highestPrice(fees: Fees): bigint {
  return fees.type === "legacy" ? fees.gasPrice : fees.maxFeePerGas;
}

/** Room above an estimate: the chain may have moved on when the transaction runs. */
export function withMargin(gas: bigint): bigint {
  return gas + gas / 10n;
}
