import { graceTicks, type Turn } from "../turn.ts";
import type { Sender } from "./model.ts";

export function hasOpenTransactions({
  transactions,
  resting,
}: Sender): boolean {
  return transactions.size > resting;
}

/** No coordinator was heard lately. */
export function hearsNoCoordinator(
  { active }: Sender,
  _event: unknown,
  { node }: Turn,
): boolean {
  return (
    active === undefined || node.tick - active.tick > graceTicks(node.config)
  );
}
