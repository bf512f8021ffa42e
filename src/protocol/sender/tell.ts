import { step } from "../machine.ts";
import { raise, type Turn } from "../turn.ts";
import type {
  SenderTransaction,
  SenderTransactionEvent,
} from "./transaction/model.ts";
import { isResting } from "./transaction/guards.ts";

/** Gives an event to one transaction. */
export function tell(
  turn: Turn,
  transaction: SenderTransaction,
  event: SenderTransactionEvent,
): boolean {
  const { sender } = turn.node;
  const wasResting = isResting(transaction);
  const isTaken = step(turn.tables.senderTransaction, transaction, event, turn);
  const isNowResting = isResting(transaction);
  if (isNowResting !== wasResting) {
    sender.resting += isNowResting ? 1 : -1;
    if (isNowResting) raise(turn, "TransactionRested");
    else if (sender.transactions.has(transaction.id))
      raise(turn, "TransactionResumed");
  }
  return isTaken;
}
