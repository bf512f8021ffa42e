import type { Sender } from "./model.ts";

export function hasOpenTransactions({ transactions, parked }: Sender): boolean {
  return transactions.size > parked;
}
