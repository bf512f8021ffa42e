import { step } from "../machine.ts";
import type { Turn } from "../turn.ts";
import type {
  SenderTransaction,
  SenderTransactionEvent,
} from "./transaction/model.ts";
import { senderTransactionTable } from "./transaction/table.ts";

/** Gives an event to one transaction. */
export function tell(
  turn: Turn,
  transaction: SenderTransaction,
  event: SenderTransactionEvent,
): boolean {
  const { sender } = turn.node;
  const wasResting = isResting(transaction);
  const isTaken = step(senderTransactionTable, transaction, event, turn);
  const isNowResting = isResting(transaction);
  if (isNowResting !== wasResting) sender.resting += isNowResting ? 1 : -1;
  return isTaken;
}

/** It waits for its user, and nobody works on it. */
function isResting({ state }: SenderTransaction): boolean {
  return state === "Parked" || state === "PreparedForUser";
}
