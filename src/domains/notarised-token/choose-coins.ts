import type { DomainState, StateView } from "../domain.ts";
import { tokenLimits } from "./limits.ts";
import { COIN, readCoin } from "./states.ts";

/** Coins of an account that are worth an amount, or why there are none. */
export type Choice =
  | { readonly type: "chosen"; readonly coins: readonly DomainState[] }
  /** The reason is a sentence without its full stop. */
  | { readonly type: "short" | "scattered"; readonly reason: string };

/** Takes the oldest coins, so that small change gets used up; where that would be too many, the largest. */
export function chooseCoins(
  view: StateView,
  { owner, amount }: { readonly owner: string; readonly amount: bigint },
): Choice {
  const coins: Worth[] = [];
  for (const state of view.find(COIN, owner)) {
    coins.push({ state, amount: readCoin(state)?.amount ?? 0n });
    if (coins.length === tokenLimits.inputs) {
      const oldest = take(coins, amount);
      if (oldest.total >= amount) return chosen(oldest);
    }
  }
  const total = sumOf(coins);
  if (total < amount)
    return {
      type: "short",
      reason: `${owner} has ${total}, and needs ${amount}`,
    };
  if (coins.length <= tokenLimits.inputs) return chosen(take(coins, amount));
  coins.sort((a, b) => (a.amount < b.amount ? 1 : -1));
  const largest = take(coins, amount);
  if (largest.total >= amount) return chosen(largest);
  return {
    type: "scattered",
    reason: `The ${tokenLimits.inputs} largest coins of ${owner} are worth ${largest.total} of ${total}, and one intent spends no more coins; it needs ${amount}. Transfer ${largest.total} from ${owner} to itself first: that makes one coin of them`,
  };
}

interface Worth {
  readonly state: DomainState;
  readonly amount: bigint;
}

interface Taken {
  readonly coins: readonly Worth[];
  readonly total: bigint;
}

/** No more from the beginning than is needed, so that what is left is less than the last coin, and fits one. */
function take(coins: readonly Worth[], amount: bigint): Taken {
  let total = 0n;
  let count = 0;
  for (const one of coins.slice(0, tokenLimits.inputs)) {
    if (total >= amount) break;
    total += one.amount;
    count += 1;
  }
  return { coins: coins.slice(0, count), total };
}

function chosen({ coins }: Taken): Choice {
  return { type: "chosen", coins: coins.map(({ state }) => state) };
}

function sumOf(coins: readonly Worth[]): bigint {
  return coins.reduce((sum, { amount }) => sum + amount, 0n);
}
