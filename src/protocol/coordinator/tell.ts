import { step } from "../machine.ts";
import type { Turn } from "../turn.ts";
import type {
  CoordinatorTransaction,
  CoordinatorTransactionEvent,
} from "./transaction/model.ts";

/** Gives an event to one transaction. */
export function tellTransaction(
  turn: Turn,
  transaction: CoordinatorTransaction,
  event: CoordinatorTransactionEvent,
): boolean {
  return step(turn.tables.coordinatorTransaction, transaction, event, turn);
}
