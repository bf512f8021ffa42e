import { push } from "../heap.ts";
import type { NodeName } from "../ids.ts";
import { raise, type Turn } from "../turn.ts";
import type { SenderTransaction } from "./transaction/model.ts";

/** Puts it among those that are sent to the coordinator next. */
export function putOut(
  turn: Turn,
  { sequence, id }: Pick<SenderTransaction, "sequence" | "id">,
): void {
  push(turn.node.sender.outgoing, sequence, id);
  raise(turn, "TransactionQueued");
}

/** Notes to whom it is sent, who has not accepted it yet; undefined while it waits to be sent. */
export function sendTo(
  turn: Turn,
  transaction: SenderTransaction,
  to: NodeName | undefined,
): void {
  const { sent, postponed } = turn.node.sender;
  const { sentTo } = transaction;
  transaction.isAccepted = false;
  postponed.delete(transaction);
  if (sentTo === to) return;
  transaction.sentTo = to;
  const before = sentTo === undefined ? undefined : sent.get(sentTo);
  if (before !== undefined && sentTo !== undefined) {
    before.delete(transaction);
    if (before.size === 0) sent.delete(sentTo);
    raise(turn, "DelegationEnded");
  }
  if (to === undefined) return;
  const now = sent.get(to);
  if (now === undefined) sent.set(to, new Set([transaction]));
  else now.add(transaction);
}
