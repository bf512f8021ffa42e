import type { NewState } from "../domain.ts";
import { type Coin, stateOf } from "./coin.ts";
import type { CoinIntent } from "./intent.ts";

/** The coins that an intent creates out of coins of its owner that are worth `total` together. */
export function coinsFrom(intent: CoinIntent, total: bigint): readonly Coin[] {
  switch (intent.type) {
    case "issue":
      return [{ owner: intent.to, amount: BigInt(intent.amount) }];
    case "pay":
      return [
        { owner: intent.to, amount: BigInt(intent.amount) },
        ...change(intent.from, total - BigInt(intent.amount)),
      ];
    case "redeem":
      return change(intent.from, total - BigInt(intent.amount));
    case "merge":
      return [{ owner: intent.from, amount: total }];
  }
}

/** What is to be known of an intent besides its coins. Its owner's node keeps it for the receipt. */
export function infoOf(intent: CoinIntent): NewState {
  return { schema: "intent", label: intent.from, data: { ...intent } };
}

export function outputsOf(intent: CoinIntent, total: bigint): NewState[] {
  return coinsFrom(intent, total).map(stateOf);
}

function change(owner: string, amount: bigint): readonly Coin[] {
  return amount > 0n ? [{ owner, amount }] : [];
}
