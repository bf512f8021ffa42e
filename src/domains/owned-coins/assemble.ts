import type { Assembly, DomainIntent, StateView } from "../domain.ts";
import { AMOUNT_MAX, coinsOf, type OwnedCoin, sumOf } from "./coin.ts";
import { type CoinIntent, readPayload } from "./intent.ts";
import { infoOf, outputsOf } from "./outputs.ts";

/** Coins that one step spends at most, so that a transition stays small. */
export const INPUTS_MAX = 64;

/** Chooses the coins that an intent spends. */
export function assemble({ payload }: DomainIntent, view: StateView): Assembly {
  const intent = readPayload(payload);
  if (intent === undefined)
    return {
      type: "reverted",
      reason: "The intent makes no sense to owned coins.",
    };
  const chosen = choose(intent, view);
  if (typeof chosen === "string") return { type: "reverted", reason: chosen };
  return {
    type: "assembled",
    inputs: chosen.map(({ id }) => id),
    reads: [],
    outputs: outputsOf(intent, sumOf(chosen)),
    infos: [infoOf(intent)],
  };
}

/** The coins for an intent, or why there are none. */
function choose(
  intent: CoinIntent,
  view: StateView,
): readonly OwnedCoin[] | string {
  if (intent.type === "issue") return [];
  const coins = [...coinsOf(view, intent.from)];
  return intent.type === "merge"
    ? chooseToMerge(coins, intent.from)
    : chooseWorth(BigInt(intent.amount), coins, intent.from);
}

/** The smallest coins: there are most of them, and they are of least use. */
function chooseToMerge(
  coins: readonly OwnedCoin[],
  owner: string,
): readonly OwnedCoin[] | string {
  const chosen: OwnedCoin[] = [];
  let total = 0n;
  for (const coin of coins.toSorted(bySize).slice(0, INPUTS_MAX)) {
    total += coin.amount;
    if (total > AMOUNT_MAX) break;
    chosen.push(coin);
  }
  return chosen.length < 2
    ? `"${owner}" has no two coins that could become one.`
    : chosen;
}

/** The oldest coins, so that small change is used up; the largest ones if those are too small. */
function chooseWorth(
  amount: bigint,
  coins: readonly OwnedCoin[],
  owner: string,
): readonly OwnedCoin[] | string {
  const total = sumOf(coins);
  if (total < amount)
    return `"${owner}" has ${total}, and ${amount} is asked for.`;
  const oldest = takeWorth(amount, coins);
  if (sumOf(oldest) >= amount) return oldest;
  const largest = takeWorth(amount, coins.toSorted(bySize).reverse());
  const worth = sumOf(largest);
  return worth >= amount
    ? largest
    : `The ${INPUTS_MAX} largest coins of "${owner}" are worth ${worth}, and ${amount} is asked for. Call merge() first, or ask for less.`;
}

/** As many as it takes, as far as one step may spend them. */
function takeWorth(
  amount: bigint,
  coins: readonly OwnedCoin[],
): readonly OwnedCoin[] {
  let total = 0n;
  let count = 0;
  for (const coin of coins) {
    if (total >= amount || count === INPUTS_MAX) break;
    total += coin.amount;
    count += 1;
  }
  return coins.slice(0, count);
}

function bySize(a: OwnedCoin, b: OwnedCoin): number {
  if (a.amount === b.amount) return 0;
  return a.amount < b.amount ? -1 : 1;
}
