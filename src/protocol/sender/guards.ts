import type { Sender } from "./model.ts";

export function hasOpenTransactions({ transactions }: Sender): boolean {
  for (const { state } of transactions.values())
    if (state !== "Parked") return true;
  return false;
}
