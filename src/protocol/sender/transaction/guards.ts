import type { Turn } from "../../turn.ts";
import type { SenderTransaction } from "./model.ts";

/** Nothing that was signed for it can happen any more, as the own view of the ledger shows. */
export function hasNoLiveStep(
  { liveUntil }: SenderTransaction,
  _event: unknown,
  { node }: Turn,
): boolean {
  return node.height >= liveUntil;
}

export function mayRetry(
  transaction: SenderTransaction,
  _event: unknown,
  { node }: Turn,
): boolean {
  return transaction.retries < node.config.retriesMax;
}

export function isDoomedAndSafe(
  transaction: SenderTransaction,
  event: unknown,
  turn: Turn,
): boolean {
  return transaction.isDoomed && hasNoLiveStep(transaction, event, turn);
}

/** The permission that it gave last can still be used. */
export function hasLivePermission(
  { permission }: SenderTransaction,
  _event: unknown,
  { node }: Turn,
): boolean {
  return permission !== undefined && permission.validUntil > node.height;
}

/** The permission that it gave last can no longer be used. */
export function hasExpiredPermission(
  transaction: SenderTransaction,
  event: unknown,
  turn: Turn,
): boolean {
  return !hasLivePermission(transaction, event, turn);
}

/** It waits for its user, and nobody works on it. */
export function isResting({ state }: SenderTransaction): boolean {
  return state === "Parked" || state === "PreparedForUser";
}
