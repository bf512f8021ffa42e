import type { Event } from "../events.ts";
import type { IntentId } from "../ids.ts";
import { limits } from "../limits.ts";
import { tellSender } from "../tell.ts";
import type { Intent } from "../transition.ts";
import type { Sequencer, Turn } from "../turn.ts";
import type { Sender } from "./model.ts";
import { tell } from "./tell.ts";
import { createTransaction } from "./transaction/model.ts";
import { waitFor } from "./waiting.ts";

type Submitted = Extract<Event, { readonly type: "IntentSubmitted" }>;

/** Takes an intent: durable before the user is told. */
export function submit(
  turn: Turn,
  { intent, fulfilled, reverted }: Submitted,
): void {
  const { node } = turn;
  const { sender } = node;
  if (sender.transactions.has(intent.id)) {
    turn.effects.push({ type: "Accepted", id: intent.id });
    return;
  }
  const reason = refusalOf(node, intent, reverted);
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

/** Why not all of these would be taken, if they came one after the other; undefined if they would. */
export function findRefusal(
  node: Pick<Sequencer, "sender" | "config">,
  events: readonly Submitted[],
): string | undefined {
  const { sender } = node;
  // What is known, or comes twice, is taken as it came first.
  const fresh = new Map<IntentId, Submitted>();
  for (const event of events)
    if (
      !sender.transactions.has(event.intent.id) &&
      !fresh.has(event.intent.id)
    )
      fresh.set(event.intent.id, event);
  let before = 0;
  for (const { intent, reverted } of fresh.values()) {
    const company = { before: before++, fresh };
    const reason = refusalOf(node, intent, reverted, company);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** All that come together with an intent, and how many of them before it. */
interface Company {
  readonly before: number;
  readonly fresh: ReadonlyMap<IntentId, Submitted>;
}

/** Why a node takes no intents for a group, and ends those that it has. */
export const noMember = "This node is no longer a member of the group";

const alone: Company = { before: 0, fresh: new Map() };

/** Why an intent is not taken. */
function refusalOf(
  { sender, config }: Pick<Sequencer, "sender" | "config">,
  intent: Intent,
  reverted: readonly IntentId[],
  { before, fresh }: Company = alone,
): string | undefined {
  if (!config.members.includes(config.self)) return noMember;
  if (sender.transactions.size + before >= limits.openIntents)
    return `${limits.openIntents} intents are open`;
  if (isCircular(sender, intent, fresh)) return "It depends on itself";
  const lost = intent.dependsOn.find((id) => reverted.includes(id));
  return lost === undefined
    ? undefined
    : `It depends on ${lost}, which can never be confirmed`;
}

/** Whether it would wait for itself, directly or because what it depends on waits for it already. */
function isCircular(
  { transactions, dependants }: Sender,
  { id, dependsOn }: Intent,
  fresh: Company["fresh"],
): boolean {
  if (dependsOn.includes(id)) return true;
  if (!dependants.has(id) && fresh.size < 2) return false;
  const reached = new Set(dependsOn);
  for (const one of reached)
    for (const next of transactions.get(one)?.waitsFor ??
      fresh.get(one)?.intent.dependsOn ??
      [])
      reached.add(next);
  return reached.has(id);
}
