import type { IntentId } from "../ids.ts";
import type { Turn } from "../turn.ts";
import { putOut } from "./outgoing.ts";
import type { SenderTransaction } from "./transaction/model.ts";

/** It waits until that intent is confirmed. */
export function waitFor(
  { node }: Turn,
  transaction: SenderTransaction,
  id: IntentId,
): void {
  const { sender, tick, config } = node;
  transaction.waitsFor.add(id);
  const waiting = sender.dependants.get(id) ?? [];
  waiting.push(transaction.id);
  sender.dependants.set(id, waiting);
  sender.inquiries = 0;
  sender.inquiryTick = tick + config.stateTicks;
}

/** A reorganisation took these back: what depends on them waits for them again. */
export function waitAgain(turn: Turn, lost: ReadonlySet<IntentId>): void {
  for (const transaction of turn.node.sender.transactions.values()) {
    const { intent, prepared, waitsFor } = transaction;
    if (prepared !== undefined) continue;
    for (const id of intent.dependsOn)
      if (lost.has(id) && !waitsFor.has(id)) waitFor(turn, transaction, id);
  }
}

/** The ledger has moved on, or more is known of it: perhaps it was that which postponed these. */
export function reconsider(turn: Turn): void {
  const { node } = turn;
  const { postponed } = node.sender;
  for (const transaction of postponed) {
    // What is dispatched meanwhile needs no delegation.
    if (transaction.state !== "Delegated") continue;
    transaction.retryTick = node.tick;
    putOut(turn, transaction);
  }
  postponed.clear();
}

/** It ended, and waits for nothing any more. */
export function stopWaiting(
  { node }: Turn,
  { id, waitsFor }: SenderTransaction,
): void {
  const { dependants } = node.sender;
  for (const dependency of waitsFor) {
    const others = dependants.get(dependency)?.filter((other) => other !== id);
    if (others === undefined || others.length === 0)
      dependants.delete(dependency);
    else dependants.set(dependency, others);
  }
  waitsFor.clear();
}
