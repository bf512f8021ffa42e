import type {
  Assembly,
  DomainIntent,
  DomainState,
  StateView,
} from "../domain.ts";
import { carryOut } from "./carry-out.ts";
import { chooseCoins } from "./choose-coins.ts";
import { readPayload, type TokenIntent } from "./intent.ts";
import { findForbidden } from "./rules.ts";
import { LOCK } from "./states.ts";

/** Chooses what an intent spends, and carries it out. */
export function assemble(
  { group, id, payload }: DomainIntent,
  view: StateView,
): Assembly {
  const intent = readPayload(payload);
  if (intent === undefined)
    return reverted("The intent makes no sense to this domain.");
  const forbidden = findForbidden(intent, group);
  if (forbidden !== undefined) return reverted(forbidden);
  const inputs = choose(intent, view);
  if ("reason" in inputs) return inputs;
  const result = carryOut(intent, inputs, id);
  if (result.type === "wrong") return reverted(result.reason);
  const { outputs, infos } = result;
  return {
    type: "assembled",
    inputs: inputs.map((input) => input.id),
    reads: [],
    outputs,
    infos,
  };
}

type NotNow = Exclude<Assembly, { type: "assembled" }>;

function choose(
  intent: TokenIntent,
  view: StateView,
): readonly DomainState[] | NotNow {
  if (intent.type === "mint") return [];
  if ("lockId" in intent) {
    const [locked] = view.find(LOCK, intent.lockId);
    return locked === undefined
      ? reverted(
          `Its node sees no lock ${intent.lockId}: it was never made, is unlocked, or is somebody else's.`,
        )
      : [locked];
  }
  const { by: owner, amount } = intent;
  const choice = chooseCoins(view, { owner, amount: BigInt(amount) });
  if (choice.type === "chosen") return choice.coins;
  const { type, reason } = choice;
  return intent.type === "transferWhenFunded" && type === "short"
    ? { type: "parked", reason }
    : reverted(`${reason}.`);
}

function reverted(reason: string): NotNow {
  return { type: "reverted", reason };
}
