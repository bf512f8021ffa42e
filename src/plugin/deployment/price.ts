import { SequencerError } from "../errors.ts";
import { deploymentProxy } from "./addresses.ts";
import { currentPrice, highestPrice, withMargin } from "./costs.ts";
import type { Fees, GasOfSteps, StepName } from "./costs.ts";
import type { Step } from "./plan.ts";

/** What one step takes. */
export interface PricedStep {
  readonly name: StepName;
  readonly address: string;
  readonly gas: bigint;
  readonly cost: bigint;
}

/** What all steps take. */
export interface Price {
  readonly steps: readonly PricedStep[];
  readonly total: {
    readonly gas: bigint;
    readonly cost: bigint;
    /** What the sender's balance must be: every transaction at its gas limit and highest price. */
    readonly needed: bigint;
    readonly gasPrice: bigint;
  };
}

/** What the steps cost the sender, given the gas that they used in the rehearsal. */
export function priceOf(
  steps: readonly Step[],
  gas: GasOfSteps,
  { fees, network }: { fees: Fees; network: string },
): Price {
  if (steps.some(({ name }) => name === "proxy"))
    requireProxyAffordable(fees, network);
  const gasPrice = currentPrice(fees);
  const priced = steps.map((step) => {
    const used = gas[step.name] ?? 0n;
    const { name, address } = step;
    return {
      name,
      address,
      gas: used,
      cost: costOf(step, used * gasPrice),
      needed: costOf(step, withMargin(used) * highestPrice(fees)),
    };
  });
  const sum = (values: readonly bigint[]): bigint =>
    values.reduce((total, value) => total + value, 0n);
  return {
    steps: priced.map(({ name, address, gas: used, cost }) => ({
      name,
      address,
      gas: used,
      cost,
    })),
    total: {
      gas: sum(priced.map((step) => step.gas)),
      cost: sum(priced.map((step) => step.cost)),
      needed: sum(priced.map((step) => step.needed)),
      gasPrice,
    },
  };
}

/** The proxy's own transaction is paid by its signer, out of the funding. */
function costOf({ transaction }: Step, fee: bigint): bigint {
  return "signed" in transaction ? 0n : fee + transaction.call.value;
}

/** The price of the proxy's own transaction is signed and cannot be raised. */
function requireProxyAffordable(fees: Fees, network: string): void {
  const base =
    fees.type === "legacy"
      ? fees.gasPrice
      : fees.maxFeePerGas - fees.maxPriorityFeePerGas;
  const lowest = fees.type === "legacy" ? base : base / 2n;
  if (lowest > deploymentProxy.gasPrice)
    throw new SequencerError("PROXY_REFUSED", {
      network,
      reason: "its transaction pays 100 gwei, and the fee is higher now",
    });
}
