import { pop, push } from "../heap.ts";
import type { IntentId, NodeName } from "../ids.ts";
import { limits } from "../limits.ts";
import type { MessageOf } from "../messages.ts";
import { disbelieve } from "../suspicion.ts";
import type { Intent } from "../transition.ts";
import {
  candidates,
  graceTicks,
  isSilent,
  newKey,
  nextRequest,
  nextTry,
  raise,
  rangeOf,
  send,
  type Sequencer,
  type Turn,
} from "../turn.ts";
import { changeDelegate, giveUpOn, preferredCoordinator } from "./actions.ts";
import type { PendingDelegation, Sender } from "./model.ts";
import { putOut } from "./outgoing.ts";
import { tell } from "./tell.ts";
import type { SenderTransaction } from "./transaction/model.ts";

/** Nothing is open: there is nothing to send, nor to wait for. */
export function stopDelegating(sender: Sender): void {
  sender.waitForRange = undefined;
  sender.delegation = undefined;
  sender.outgoing.entries.length = 0;
  sender.delayed.entries.length = 0;
}

/** Delegates what waits, in order of arrival, one message at a time, to the coordinator that is preferred now. */
export function delegate(sender: Sender, event: unknown, turn: Turn): void {
  const { node } = turn;
  const { config } = node;
  if (
    sender.waitForRange !== undefined &&
    (rangeOf(node, node.height) >= sender.waitForRange ||
      node.tick >= sender.waitUntilTick)
  )
    sender.waitForRange = undefined;
  const preferred = preferredCoordinator(node);
  if (preferred === undefined) return;
  if (preferred !== sender.delegate && sender.waitForRange === undefined) {
    const silentNode = whoDoesNotAnswer(node);
    if (silentNode !== undefined) {
      giveUpOn(turn, silentNode);
      delegate(sender, event, turn);
      return;
    }
    changeDelegate(turn, preferred);
  }
  const { delegation } = sender;
  if (delegation !== undefined) {
    const isDue = node.tick >= delegation.dueTick;
    if (
      isUnheard(node, delegation) ||
      (isDue &&
        delegation.tries >= config.heartbeatGrace &&
        delegation.to !== config.self)
    ) {
      giveUpOn(turn, delegation.to);
      delegate(sender, event, turn);
      return;
    }
    if (!isDue) return;
    delegation.tries += 1;
    delegation.dueTick = nextRequest(turn, delegation.tries, delegation.key);
    sendDelegation(turn, delegation.ids);
    // If nothing of it is left there, others need not wait for it.
    if (sender.delegation !== undefined) return;
  }
  if (sender.waitForRange !== undefined || node.tick < sender.pausedUntil)
    return;
  const ids = takeOutgoing(turn, preferred);
  if (ids.length === 0) return;
  // A node that has nothing of ours need not have been heard: its time to answer begins now.
  if (!sender.sent.has(preferred)) sender.heardTick = node.tick;
  const key = newKey(turn);
  sender.delegation = {
    key,
    to: preferred,
    ids,
    sinceTick: node.tick,
    tries: 0,
    dueTick: nextRequest(turn, 0, key),
  };
  for (const id of ids) {
    const transaction = sender.transactions.get(id);
    if (transaction !== undefined)
      tell(turn, transaction, { type: "Delegated", to: preferred });
  }
  sendDelegation(turn, ids);
}

/**
 * Whoever was asked twice, and is not heard for as long as a coordinator may be silent, is not there. If that is known, he is
 * asked because there is nobody else.
 */
function isUnheard(
  node: Sequencer,
  { to, sinceTick, tries }: PendingDelegation,
): boolean {
  const { sender, config, tick } = node;
  const heardTick = to === sender.delegate ? sender.heardTick : sinceTick;
  return (
    to !== config.self &&
    tries > 0 &&
    !isSilent(node, to) &&
    tick - Math.max(sinceTick, heardTick) > graceTicks(config)
  );
}

/**
 * The delegate, if it was asked again and not heard for so long that it counts as silent. Whatever makes this node turn to
 * another one, it must not be sent back to him by somebody who does not know.
 */
function whoDoesNotAnswer({
  sender: { delegate: asked, delegation, heardTick },
  config,
  tick,
}: Sequencer): NodeName | undefined {
  const isAsked =
    delegation !== undefined && delegation.to === asked && delegation.tries > 0;
  return isAsked &&
    asked !== config.self &&
    tick - heardTick > graceTicks(config)
    ? asked
    : undefined;
}

function sendDelegation(turn: Turn, ids: readonly IntentId[]): void {
  const { sender, height } = turn.node;
  const { delegation } = sender;
  if (delegation === undefined) return;
  const intents = ids.flatMap((id) => {
    const transaction = sender.transactions.get(id);
    return transaction?.sentTo === delegation.to
      ? [withOpenDependencies(transaction)]
      : [];
  });
  if (intents.length === 0) {
    sender.delegation = undefined;
    return;
  }
  send(turn, delegation.to, {
    type: "DelegationRequest",
    key: delegation.key,
    height,
    intents,
  });
}

/** The intent, with those of its dependencies that are not confirmed. */
function withOpenDependencies({ intent, waitsFor }: SenderTransaction): Intent {
  return waitsFor.size === intent.dependsOn.length
    ? intent
    : { ...intent, dependsOn: [...waitsFor] };
}

/** How many more one delegation may send to a coordinator. The others wait here, where they cost nobody anything. */
function roomAt({ sent }: Sender, coordinator: NodeName): number {
  const taken = sent.get(coordinator)?.size ?? 0;
  return Math.min(limits.delegation, limits.delegated - taken);
}

function takeOutgoing({ node }: Turn, to: NodeName): IntentId[] {
  const { sender, tick } = node;
  const ids = new Set<IntentId>();
  const countMax = roomAt(sender, to);
  let length = 0;
  while (ids.size < countMax) {
    const id = pop(sender.outgoing);
    if (id === undefined) break;
    const transaction = sender.transactions.get(id);
    if (
      transaction === undefined ||
      transaction.isDoomed ||
      transaction.sentTo !== undefined
    )
      continue;
    if (transaction.state !== "Pending" && transaction.state !== "Delegated")
      continue;
    // It comes back when its pause is over.
    if (transaction.retryTick > tick) continue;
    // Whatever it waits for brings it back when it is accepted there, or confirmed.
    if (!mayFollow(sender, transaction, to, ids)) continue;
    length += transaction.intent.payload.length;
    if (ids.size > 0 && length > limits.delegationLength) {
      push(sender.outgoing, transaction.sequence, id);
      break;
    }
    ids.add(id);
  }
  return [...ids];
}

/** Whether all that it depends on is confirmed, or with the same coordinator, or goes to it in the same message. */
function mayFollow(
  { transactions }: Sender,
  { waitsFor }: SenderTransaction,
  to: NodeName,
  sending: ReadonlySet<IntentId>,
): boolean {
  for (const id of waitsFor) {
    const dependency = transactions.get(id);
    if (dependency === undefined || dependency.intent.isPrepareOnly)
      return false;
    const isThere = dependency.sentTo === to && dependency.isAccepted;
    if (dependency.isDoomed || (!isThere && !sending.has(id))) return false;
  }
  return true;
}

/** A coordinator has what we sent. */
export function acceptDelegation(
  turn: Turn,
  from: NodeName,
  { key, ids }: MessageOf<"DelegationAccepted">,
): void {
  const { sender, tick } = turn.node;
  raise(turn, "DelegationAnswered");
  if (from === sender.delegate) sender.heardTick = tick;
  for (const id of ids) {
    const transaction = sender.transactions.get(id);
    if (transaction?.sentTo !== from) continue;
    transaction.isAccepted = true;
    for (const dependantId of sender.dependants.get(id) ?? []) {
      const dependant = sender.transactions.get(dependantId);
      if (dependant !== undefined) putOut(turn, dependant);
    }
  }
  const { delegation } = sender;
  if (delegation?.key !== key || delegation.to !== from) return;
  sender.delegation = undefined;
  sender.refusals = 0;
  // What it did not accept is with nobody.
  for (const id of delegation.ids) {
    const transaction = sender.transactions.get(id);
    if (transaction?.sentTo !== from || transaction.isAccepted) continue;
    sender.pausedUntil = nextTry(turn, 0, key);
    tell(turn, transaction, { type: "Released" });
  }
}

/** A node does not coordinate, as it sees things. Its height tells who is behind. */
export function rejectDelegation(
  turn: Turn,
  from: NodeName,
  message: MessageOf<"DelegationRejected">,
): void {
  const { node } = turn;
  const { sender } = node;
  const { delegation } = sender;
  if (delegation?.key !== message.key || delegation.to !== from) return;
  raise(turn, "DelegationAnswered");
  sender.delegation = undefined;
  sender.refusals += 1;
  const { refusals } = sender;
  sender.pausedUntil = nextTry(turn, refusals, message.key);
  const theirs = Math.min(message.height, node.height + limits.aheadBlocks);
  if (
    rangeOf(node, theirs) > rangeOf(node, node.height) &&
    message.reason === "sender-behind"
  ) {
    sender.waitForRange = rangeOf(node, theirs);
    sender.waitUntilTick = node.tick + node.config.stateTicks;
  }
  for (const id of delegation.ids) {
    const transaction = sender.transactions.get(id);
    if (transaction?.sentTo === from)
      tell(turn, transaction, { type: "Released" });
  }
  const { active } = message;
  if (
    message.reason !== "not-coordinator" ||
    active === undefined ||
    active === from
  )
    return;
  // A suspicion is told to all members, again and again: by now they would pass it over too.
  if (refusals >= node.config.heartbeatGrace) disbelieve(node, active);
  if (
    node.config.policy === "sticky" &&
    candidates(node).includes(active) &&
    !isSilent(node, active)
  ) {
    sender.active = { node: active, tick: node.tick };
    changeDelegate(turn, active);
  }
}
