import type { Event } from "../events.ts";
import { limits } from "../limits.ts";
import { tellSender } from "../tell.ts";
import type { Turn } from "../turn.ts";
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
  if (sender.transactions.size >= limits.openIntents) {
    turn.effects.push({
      type: "Refused",
      id: intent.id,
      reason: `${limits.openIntents} intents are open`,
    });
    return;
  }
  const lost = intent.dependsOn.find((id) => reverted.includes(id));
  if (lost !== undefined) {
    const reason = `It depends on ${lost}, which can never be confirmed`;
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
