import type { Sender } from "./model.ts";

export function hasOpenTransactions({
  transactions,
  resting,
}: Sender): boolean {
  return transactions.size > resting;
}
