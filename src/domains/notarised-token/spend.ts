import type { IntentId } from "../../protocol/ids.ts";
import type { DomainState, NewState } from "../domain.ts";
import { type Change, wrong } from "./change.ts";
import type { SpendingIntent } from "./intent.ts";
import { AMOUNT_MAX, tokenLimits } from "./limits.ts";
import { coin, lock, readCoin, type Transfer } from "./states.ts";

/** Takes coins of the one who asks, and gives him what is left in one coin. */
export function spend(
  intent: SpendingIntent,
  inputs: readonly DomainState[],
  id: IntentId,
): Change {
  const { by } = intent;
  if (inputs.length > tokenLimits.inputs)
    return wrong(
      `It spends ${inputs.length} coins, and ${tokenLimits.inputs} are the most.`,
    );
  let total = 0n;
  for (const input of inputs) {
    const spent = readCoin(input);
    if (spent?.owner !== by) return wrong(`An input is no coin of ${by}.`);
    total += spent.amount;
  }
  const rest = total - BigInt(intent.amount);
  if (rest < 0n)
    return wrong(
      `The coins are worth ${total}, and ${intent.amount} is asked for.`,
    );
  if (rest > AMOUNT_MAX) return wrong("What is left does not fit a coin.");
  const { outputs, transfers } = useOf(intent, id);
  return {
    type: "change",
    outputs: rest === 0n ? outputs : [...outputs, coin(by, rest)],
    transfers,
  };
}

/** What the amount is spent on. */
function useOf(
  intent: SpendingIntent,
  id: IntentId,
): {
  readonly outputs: readonly NewState[];
  readonly transfers: readonly Transfer[];
} {
  const { by, amount } = intent;
  switch (intent.type) {
    case "transfer":
    case "transferWhenFunded": {
      const { to } = intent;
      return {
        outputs: [coin(to, BigInt(amount))],
        transfers: [{ from: by, to, amount }],
      };
    }
    case "burn":
      return { outputs: [], transfers: [{ from: by, amount }] };
    case "lock":
      return {
        outputs: [
          lock({
            // The ledger fulfils an intent once: no two locks have the same id.
            lockId: id,
            owner: by,
            amount: BigInt(amount),
            delegate: undefined,
            prepared: undefined,
          }),
        ],
        transfers: [],
      };
  }
}
