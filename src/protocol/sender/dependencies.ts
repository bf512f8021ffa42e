import { push } from "../heap.ts";
import type { IntentId, NodeName } from "../ids.ts";
import { limits } from "../limits.ts";
import { isRemembered, remember } from "../recent.ts";
import { tellSender } from "../tell.ts";
import { pages, send, type Turn } from "../turn.ts";
import type { Sender } from "./model.ts";
import { tell } from "./tell.ts";

/** It is confirmed: what waited for nothing else can go on. */
export function freeDependants(turn: Turn, id: IntentId): void {
  const { sender } = turn.node;
  for (const dependantId of sender.dependants.get(id) ?? []) {
    const dependant = sender.transactions.get(dependantId);
    if (dependant === undefined) continue;
    dependant.waitsFor.delete(id);
    // Somebody said that it had failed. The ledger knows better.
    if (
      dependant.parked === doubt(id) &&
      tell(turn, dependant, { type: "Resumed" })
    )
      tellSender(turn, { type: "TransactionCreated" });
    else if (dependant.waitsFor.size === 0)
      push(sender.outgoing, dependant.sequence, dependantId);
  }
  sender.dependants.delete(id);
}

/** An own intent can never be confirmed, and so what depends on it reverts. */
export function failDependants(
  turn: Turn,
  id: IntentId,
  why: "reverted" | "was prepared and not executed" = "reverted",
): void {
  const { sender } = turn.node;
  remember(sender.failed, id, true);
  const dependants = sender.dependants.get(id) ?? [];
  sender.dependants.delete(id);
  for (const dependantId of dependants) {
    const dependant = sender.transactions.get(dependantId);
    const reason = `It depends on ${id}, which ${why}`;
    if (
      dependant !== undefined &&
      tell(turn, dependant, { type: "DependencyReverted", reason })
    )
      tellSender(turn, { type: "TransactionConfirmed" });
  }
}

/**
 * The ledger tells what is confirmed, but not what never will be. Of an intent that is not its own a node asks the others,
 * less and less often.
 */
export function askForDependencies(turn: Turn): void {
  const { sender, tick, config } = turn.node;
  if (sender.dependants.size === 0 || tick < sender.inquiryTick) return;
  const wait = config.stateTicks * 2 ** Math.min(sender.inquiries, 4);
  sender.inquiries += 1;
  sender.inquiryTick = tick + wait;
  const ids = [...sender.dependants.keys()].filter((id) =>
    isForeign(sender, id),
  );
  for (const page of pages(ids, limits.heartbeat))
    for (const member of config.members)
      if (member !== config.self)
        send(turn, member, { type: "DependencyQuery", ids: page });
}

/** It is not one of this node's own, and somebody here waits for it who does not know that it failed. */
function isForeign(
  { transactions, dependants }: Sender,
  id: IntentId,
): boolean {
  if (transactions.has(id)) return false;
  const waiting = dependants.get(id) ?? [];
  return waiting.some((other) => transactions.get(other)?.state === "Pending");
}

/** Somebody depends on intents that may have been this node's own. */
export function answerQuery(
  turn: Turn,
  from: NodeName,
  asked: readonly IntentId[],
): void {
  const { failed } = turn.node.sender;
  const ids = asked.filter((id) => isRemembered(failed, id));
  if (ids.length > 0) send(turn, from, { type: "DependencyFailed", ids });
}

/**
 * Somebody says that an intent failed. Nothing ends on his word: what depends on it is parked, and goes on if the ledger
 * shows that he was wrong.
 */
export function doubtDependency(turn: Turn, id: IntentId): void {
  const { sender } = turn.node;
  if (!isForeign(sender, id)) return;
  for (const dependantId of sender.dependants.get(id) ?? []) {
    const dependant = sender.transactions.get(dependantId);
    if (dependant === undefined || dependant.isDoomed) continue;
    const reason = doubt(id);
    if (tell(turn, dependant, { type: "DependencyDoubted", reason }))
      tellSender(turn, { type: "TransactionConfirmed" });
  }
}

function doubt(id: IntentId): string {
  return `it depends on ${id}, which failed, as its node says`;
}
