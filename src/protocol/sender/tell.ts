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
  const wasParked = transaction.state === "Parked";
  const isTaken = step(senderTransactionTable, transaction, event, turn);
  const isParked = transaction.state === "Parked";
  if (isParked !== wasParked) sender.parked += isParked ? 1 : -1;
  return isTaken;
}
