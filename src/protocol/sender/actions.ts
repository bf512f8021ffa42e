import { popUntil } from "../heap.ts";
import type { IntentId, NodeName } from "../ids.ts";
import type { Stage } from "../messages.ts";
import {
  candidates,
  graceTicks,
  isFoundSilent,
  isSilent,
  isSuspected,
  raise,
  type Sequencer,
  type Turn,
} from "../turn.ts";
import type { Sender, SenderEvent } from "./model.ts";
import { putOut } from "./outgoing.ts";
import { tell } from "./tell.ts";
import type { SenderTransaction } from "./transaction/model.ts";

/** What is sent to a node, as a list that stays as it is when they change. */
function sentTo(sender: Sender, node: NodeName): SenderTransaction[] {
  return [...(sender.sent.get(node) ?? [])];
}

/** Takes note of a coordinator's heartbeat. */
export function follow(
  sender: Sender,
  {
    from,
    heartbeat,
  }: Extract<SenderEvent, { readonly type: "HeartbeatReceived" }>,
  turn: Turn,
): void {
  const { node } = turn;
  raise(turn, "CoordinatorKnown");
  node.silent.delete(from);
  if (
    !isSuspected(node, from) &&
    (heartbeat.state === "Active" ||
      heartbeat.state === "Elect" ||
      heartbeat.state === "Prepared")
  ) {
    sender.active = { node: from, tick: node.tick };
  } else if (sender.active?.node === from) {
    sender.active = undefined;
  }
  const knownBoot = node.beats.get(from)?.boot ?? heartbeat.boot;
  if (from === sender.delegate) sender.heardTick = node.tick;
  for (const { id, stage } of heartbeat.transactions)
    if (stage === "sequenced" || stage === "submitted")
      noteProgress(turn, from, { id, stage });
  if (heartbeat.boot === knownBoot && !heartbeat.isComplete) return;
  const listed = new Set(heartbeat.transactions.map(({ id }) => id));
  for (const transaction of sentTo(sender, from)) {
    if (transaction.isAccepted && !listed.has(transaction.id))
      tell(turn, transaction, { type: "Released" });
  }
}

/** How far the one that dispatched it has come. Not durable: after a restart only the dispatch itself is known. */
function noteProgress(
  turn: Turn,
  from: NodeName,
  { id, stage }: { readonly id: IntentId; readonly stage: Stage },
): void {
  const transaction = turn.node.sender.transactions.get(id);
  if (transaction?.permission?.coordinator !== from) return;
  const type = stage === "sequenced" ? "NonceAssigned" : "Submitted";
  tell(turn, transaction, { type });
}

export function loseTrack(sender: Sender): void {
  sender.active = undefined;
}

/** Whom this node would delegate to now. */
export function preferredCoordinator(node: Sequencer): NodeName | undefined {
  const { config, sender, tick } = node;
  const order = candidates(node);
  const isUsable = (name: NodeName): boolean =>
    order.includes(name) && !isSilent(node, name);
  if (config.policy === "sticky") {
    const grace = graceTicks(config);
    const { delegate, active } = sender;
    const isHeard =
      delegate !== undefined &&
      isUsable(delegate) &&
      tick - sender.heardTick <= grace;
    if (isHeard && sender.sent.has(delegate)) return delegate;
    if (
      active !== undefined &&
      isUsable(active.node) &&
      tick - active.tick <= grace
    )
      return active.node;
    // Chosen, and nothing of ours is there yet.
    if (isHeard) return delegate;
  }
  // If all are passed over, those first of which only others say that they do nothing.
  return (
    order.find(isUsable) ??
    order.find((name) => !isFoundSilent(node, name)) ??
    order[0]
  );
}

/** Turns to another coordinator: what the old one has not dispatched goes to the new one. */
export function changeDelegate(turn: Turn, to: NodeName): void {
  const { sender, tick } = turn.node;
  sender.delegate = to;
  sender.heardTick = tick;
  sender.delegation = undefined;
  sender.pausedUntil = tick;
  sender.refusals = 0;
  for (const transaction of sender.transactions.values()) {
    // What nobody has is on its way, or waits for its next try.
    if (transaction.sentTo !== undefined && transaction.sentTo !== to)
      tell(turn, transaction, { type: "CoordinatorChanged" });
  }
}

/** The delegate does not answer: skip it for a while, and take back what it has not dispatched. */
export function giveUpOn(turn: Turn, silentNode: NodeName): void {
  const { node } = turn;
  node.silent.set(silentNode, node.tick + node.config.suspicionTicks);
  takeBack(turn, silentNode);
}

/** Takes back all that a node has not dispatched. */
export function takeBack(turn: Turn, from: NodeName): void {
  const { sender } = turn.node;
  if (sender.active?.node === from) sender.active = undefined;
  if (sender.delegate === from) sender.delegate = undefined;
  if (sender.delegation?.to === from) sender.delegation = undefined;
  for (const transaction of sentTo(sender, from))
    tell(turn, transaction, { type: "Released" });
}

/** Whether the delegate has something of ours that needs it to be alive. */
function expectsHeartbeats(sender: Sender, delegate: NodeName): boolean {
  for (const { isAccepted, state } of sender.sent.get(delegate) ?? [])
    if (isAccepted && isWithCoordinator(state)) return true;
  return false;
}

function isWithCoordinator(state: SenderTransaction["state"]): boolean {
  return (
    state === "Delegated" ||
    state === "Assembling" ||
    state === "EndorsementGathering" ||
    state === "Prepared"
  );
}

/** What a sender does as time passes. */
export function watch(turn: Turn): void {
  const { node } = turn;
  const { sender, config } = node;
  for (const id of popUntil(sender.delayed, node.tick)) {
    const transaction = sender.transactions.get(id);
    if (
      transaction?.state === "Delegated" &&
      transaction.sentTo === undefined
    ) {
      putOut(turn, transaction);
    }
  }
  const { delegate } = sender;
  if (
    delegate !== undefined &&
    delegate !== config.self &&
    node.tick - sender.heardTick > graceTicks(config) &&
    expectsHeartbeats(sender, delegate)
  ) {
    giveUpOn(turn, delegate);
  }
}
