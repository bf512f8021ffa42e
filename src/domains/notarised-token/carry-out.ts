import type { IntentId } from "../../protocol/ids.ts";
import type { DomainState, NewState } from "../domain.ts";
import { type Change, wrong } from "./change.ts";
import type { TokenIntent } from "./intent.ts";
import { spend } from "./spend.ts";
import { coin, note, readLock } from "./states.ts";
import { applyToLock } from "./use-lock.ts";

/** What an intent comes to with the states that it spends, or why it cannot be done with them. */
export type Result =
  | {
      readonly type: "done";
      readonly outputs: readonly NewState[];
      readonly infos: readonly NewState[];
    }
  | { readonly type: "wrong"; readonly reason: string };

/** Carries out an intent. The same intent with the same states comes to the same at every node. */
export function carryOut(
  intent: TokenIntent,
  inputs: readonly DomainState[],
  id: IntentId,
): Result {
  const change = changeOf(intent, inputs, id);
  if (change.type === "wrong") return change;
  const { outputs, transfers } = change;
  const { by, data } = intent;
  const [lock] = outputs.flatMap((output) => readLock(output) ?? []);
  const infos = [note({ by, transfers, data, lock })];
  return { type: "done", outputs, infos };
}

function changeOf(
  intent: TokenIntent,
  inputs: readonly DomainState[],
  id: IntentId,
): Change {
  switch (intent.type) {
    case "mint": {
      const { to, amount } = intent;
      if (inputs.length > 0) return wrong("To mint is to spend nothing.");
      return {
        type: "change",
        outputs: [coin(to, BigInt(amount))],
        transfers: [{ to, amount }],
      };
    }
    case "transfer":
    case "transferWhenFunded":
    case "burn":
    case "lock":
      return spend(intent, inputs, id);
    case "unlock":
    case "prepareUnlock":
    case "delegateLock":
      return applyToLock(intent, inputs);
  }
}
