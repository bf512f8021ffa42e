import type { IntentId } from "../ids.ts";
import { tellSender } from "../tell.ts";
import type { Turn } from "../turn.ts";
import { tell } from "./tell.ts";
import type { SenderTransaction } from "./transaction/model.ts";

/** It waits until that intent is confirmed. */
export function waitFor(
  { node }: Turn,
  transaction: SenderTransaction,
  id: IntentId,
): void {
  transaction.waitsFor.add(id);
  const waiting = node.sender.dependants.get(id) ?? [];
  waiting.push(transaction.id);
  node.sender.dependants.set(id, waiting);
}

/** It can never be confirmed, and so what depends on it reverts. */
export function failDependants(
  turn: Turn,
  id: IntentId,
  why: "reverted" | "was prepared and not executed" = "reverted",
): void {
  const { sender } = turn.node;
  for (const dependantId of sender.dependants.get(id) ?? []) {
    const dependant = sender.transactions.get(dependantId);
    const reason = `It depends on ${id}, which ${why}`;
    if (
      dependant !== undefined &&
      tell(turn, dependant, { type: "DependencyReverted", reason })
    )
      tellSender(turn, { type: "TransactionConfirmed" });
  }
  sender.dependants.delete(id);
}
