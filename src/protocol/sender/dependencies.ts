import type { IntentId, NodeName } from "../ids.ts";
import { limits } from "../limits.ts";
import { isRemembered, remember } from "../recent.ts";
import { pages, send, type Turn } from "../turn.ts";
import type { Sender, SenderEvent } from "./model.ts";
import { putOut } from "./outgoing.ts";
import { tell } from "./tell.ts";
import type { SenderTransaction } from "./transaction/model.ts";

/** It is confirmed: what waited for nothing else can go on. */
export function freeDependants(turn: Turn, id: IntentId): void {
  const { sender } = turn.node;
  for (const dependantId of sender.dependants.get(id) ?? []) {
    const dependant = sender.transactions.get(dependantId);
    if (dependant === undefined) continue;
    dependant.waitsFor.delete(id);
    // Somebody said that it had failed. The ledger knows better.
    if (isDoubt(dependant.parked, id))
      tell(turn, dependant, { type: "Resumed" });
    else if (dependant.waitsFor.size === 0) putOut(turn, dependant);
  }
  sender.dependants.delete(id);
}

/** Own intents can never be confirmed, and so what depends on them reverts. */
export function failDependants(
  sender: Sender,
  { failed }: Extract<SenderEvent, { readonly type: "TransactionsFailed" }>,
  turn: Turn,
): void {
  for (const { id, why } of failed) {
    remember(sender.failed, id, true);
    const dependants = sender.dependants.get(id) ?? [];
    sender.dependants.delete(id);
    for (const dependantId of dependants) {
      const dependant = sender.transactions.get(dependantId);
      const reason = `It depends on ${id}, which ${why}`;
      if (dependant !== undefined)
        tell(turn, dependant, { type: "DependencyReverted", reason });
    }
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
 * A member answers that an intent failed. Nobody can check whether it was that member's, so nothing ends on its word: what
 * depends on the intent is parked for a while, and goes on at once if the ledger has the intent.
 */
export function doubtDependency(
  turn: Turn,
  from: NodeName,
  id: IntentId,
): void {
  const { sender, coordinator } = turn.node;
  const owner = coordinator.transactions.get(id)?.sender ?? from;
  // Nobody was asked yet, or the one that sent it is known, and is another.
  if (sender.inquiries === 0 || owner !== from) return;
  if (!isForeign(sender, id)) return;
  for (const dependantId of sender.dependants.get(id) ?? []) {
    const dependant = sender.transactions.get(dependantId);
    if (dependant === undefined || dependant.isDoomed) continue;
    const reason = `${doubtOf(id)}${from} says`;
    if (tell(turn, dependant, { type: "DependencyDoubted", reason }))
      limitDoubt(turn, dependant);
  }
}

/** A doubt lasts for a while, a longer one each time. */
function limitDoubt(
  { node: { sender, tick, config } }: Turn,
  { id }: SenderTransaction,
): void {
  const count = (sender.doubts.get(id)?.count ?? 0) + 1;
  const ticks = config.stateTicks * Math.min(2 ** count, limits.doubt);
  sender.doubts.set(id, { count, untilTick: tick + ticks });
}

/** Doubts that are over: whoever depends on such an intent waits for it again, and asks again. */
export function endDoubts(turn: Turn): void {
  const { sender, tick } = turn.node;
  for (const [id, { untilTick }] of sender.doubts) {
    const transaction = sender.transactions.get(id);
    if (transaction === undefined) sender.doubts.delete(id);
    else if (
      tick >= untilTick &&
      transaction.intent.dependsOn.some((one) =>
        isDoubt(transaction.parked, one),
      )
    ) {
      tell(turn, transaction, { type: "Resumed" });
      sender.inquiryTick = tick;
    }
  }
}

/** After a restart: a doubt goes on for a while, unless the ledger has the intent meanwhile. */
export function restoreDoubts(turn: Turn): void {
  for (const transaction of turn.node.sender.transactions.values()) {
    const { parked, intent, waitsFor } = transaction;
    const doubted = intent.dependsOn.filter((id) => isDoubt(parked, id));
    if (doubted.length === 0) continue;
    if (doubted.some((id) => waitsFor.has(id))) limitDoubt(turn, transaction);
    else tell(turn, transaction, { type: "Resumed" });
  }
}

/** Whether something is parked because an intent is said to have failed. */
function isDoubt(parked: string | undefined, id: IntentId): boolean {
  return parked?.startsWith(doubtOf(id)) === true;
}

function doubtOf(id: IntentId): string {
  return `it depends on ${id}, which failed, as `;
}
