import type { Event } from "../events.ts";
import type { IntentId } from "../ids.ts";
import { limits } from "../limits.ts";
import { tellSender } from "../tell.ts";
import type { Intent } from "../transition.ts";
import type { Turn } from "../turn.ts";
import type { Sender } from "./model.ts";
import { tell } from "./tell.ts";
import { createTransaction } from "./transaction/model.ts";
import { waitFor } from "./waiting.ts";

/** Takes an intent: durable before the user is told. */
export function submit(
  turn: Turn,
  {
    intent,
    fulfilled,
    reverted,
  }: Extract<Event, { readonly type: "IntentSubmitted" }>,
): void {
  const { sender } = turn.node;
  if (sender.transactions.has(intent.id)) {
    turn.effects.push({ type: "Accepted", id: intent.id });
    return;
  }
  const reason = refusalOf(sender, intent, reverted);
  if (reason !== undefined) {
    turn.effects.push({ type: "Refused", id: intent.id, reason });
    return;
  }
  const transaction = createTransaction(intent, sender.nextSequence++);
  for (const id of intent.dependsOn)
    if (!fulfilled.includes(id)) waitFor(turn, transaction, id);
  sender.transactions.set(intent.id, transaction);
  tell(turn, transaction, { type: "Created" });
  turn.effects.push({ type: "Accepted", id: intent.id });
  tellSender(turn, { type: "TransactionCreated" });
}

/** Why an intent is not taken. */
function refusalOf(
  sender: Sender,
  intent: Intent,
  reverted: readonly IntentId[],
): string | undefined {
  if (sender.transactions.size >= limits.openIntents)
    return `${limits.openIntents} intents are open`;
  if (isCircular(sender, intent)) return "It depends on itself";
  const lost = intent.dependsOn.find((id) => reverted.includes(id));
  return lost === undefined
    ? undefined
    : `It depends on ${lost}, which can never be confirmed`;
}

/** Whether it would wait for itself, directly or because what it depends on waits for it already. */
function isCircular(
  { transactions, dependants }: Sender,
  { id, dependsOn }: Intent,
): boolean {
  if (dependsOn.includes(id)) return true;
  if (!dependants.has(id)) return false;
  const reached = new Set(dependsOn);
  for (const one of reached)
    for (const next of transactions.get(one)?.waitsFor ?? []) reached.add(next);
  return reached.has(id);
}
