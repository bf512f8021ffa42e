import type { Turn } from "../../turn.ts";
import type { SenderTransaction } from "./model.ts";

/** No permission for it can be used any more, as the own view of the ledger shows. */
export function hasNoLivePermission(
  transaction: SenderTransaction,
  _event: unknown,
  { node }: Turn,
): boolean {
  return (
    node.height >= transaction.liveUntil || transaction.permission === undefined
  );
}

export function mayRetry(
  transaction: SenderTransaction,
  _event: unknown,
  { node }: Turn,
): boolean {
  return transaction.retries < node.config.retriesMax;
}

export function isSettledSafely(
  transaction: SenderTransaction,
  event: unknown,
  turn: Turn,
): boolean {
  return hasNoLivePermission(transaction, event, turn);
}

export function isDoomedAndSafe(
  transaction: SenderTransaction,
  event: unknown,
  turn: Turn,
): boolean {
  return transaction.isDoomed && hasNoLivePermission(transaction, event, turn);
}

/** The permission that it gave last can still be used. */
export function hasLivePermission(
  { permission }: SenderTransaction,
  _event: unknown,
  { node }: Turn,
): boolean {
  return permission !== undefined && permission.validUntil > node.height;
}
