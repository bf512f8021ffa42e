import { popUntil, push } from "../heap.ts";
import type { IntentId, NodeName } from "../ids.ts";
import { limits } from "../limits.ts";
import { step } from "../machine.ts";
import type { MessageOf } from "../messages.ts";
import {
  candidates,
  graceTicks,
  isSilent,
  newKey,
  nextTry,
  rangeOf,
  send,
  type Sequencer,
  type Turn,
} from "../turn.ts";
import { pop } from "../heap.ts";
import type { Sender, SenderEvent } from "./model.ts";
import type {
  SenderTransaction,
  SenderTransactionEvent,
} from "./transaction/model.ts";
import { senderTransactionTable } from "./transaction/table.ts";

/** What is sent to a node, as a list that stays as it is when they change. */
function sentTo(sender: Sender, node: NodeName): SenderTransaction[] {
  return [...(sender.sent.get(node) ?? [])];
}

/** Gives an event to one transaction. */
export function tell(
  turn: Turn,
  transaction: SenderTransaction,
  event: SenderTransactionEvent,
): boolean {
  const { sender } = turn.node;
  const wasParked = transaction.state === "Parked";
  const isTaken = step(senderTransactionTable, transaction, event, turn);
  const isParked = transaction.state === "Parked";
  if (isParked !== wasParked) sender.parked += isParked ? 1 : -1;
  return isTaken;
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
  node.silent.delete(from);
  if (
    heartbeat.state === "Active" ||
    heartbeat.state === "Elect" ||
    heartbeat.state === "Prepared"
  ) {
    sender.active = { node: from, tick: node.tick };
  } else if (sender.active?.node === from) {
    sender.active = undefined;
  }
  const knownBoot = sender.boots.get(from) ?? heartbeat.boot;
  if (heartbeat.boot < knownBoot) return;
  sender.boots.set(from, heartbeat.boot);
  if (from === sender.delegate) sender.heardTick = node.tick;
  if (heartbeat.boot === knownBoot && !heartbeat.isComplete) return;
  const listed = new Set(heartbeat.transactions.map(({ id }) => id));
  for (const transaction of sentTo(sender, from)) {
    if (transaction.isAccepted && !listed.has(transaction.id))
      tell(turn, transaction, { type: "Released" });
  }
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
    if (
      delegate !== undefined &&
      isUsable(delegate) &&
      tick - sender.heardTick <= grace
    )
      return delegate;
    if (
      active !== undefined &&
      isUsable(active.node) &&
      tick - active.tick <= grace
    )
      return active.node;
  }
  return order.find(isUsable) ?? order[0];
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
    if (transaction.sentTo !== to)
      tell(turn, transaction, { type: "CoordinatorChanged" });
  }
}

/** The delegate does not answer: skip it for a while, and take back what it has not dispatched. */
export function giveUpOn(turn: Turn, silentNode: NodeName): void {
  const { node } = turn;
  node.silent.set(silentNode, node.tick + node.config.suspicionTicks);
  if (node.sender.active?.node === silentNode) node.sender.active = undefined;
  if (node.sender.delegate === silentNode) node.sender.delegate = undefined;
  node.sender.delegation = undefined;
  for (const transaction of sentTo(node.sender, silentNode))
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
    state === "Signing" ||
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
      push(sender.outgoing, transaction.sequence, id);
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

/** Delegates what waits, in order of arrival, one message at a time. */
export function delegate(turn: Turn): void {
  const { node } = turn;
  const { sender, config } = node;
  if (
    sender.waitForRange !== undefined &&
    (rangeOf(node, node.height) >= sender.waitForRange ||
      node.tick >= sender.waitUntilTick)
  )
    sender.waitForRange = undefined;
  if (sender.transactions.size === 0) {
    sender.delegation = undefined;
    sender.outgoing.entries.length = 0;
    sender.delayed.entries.length = 0;
    return;
  }
  const preferred = preferredCoordinator(node);
  if (preferred === undefined) return;
  if (preferred !== sender.delegate && sender.waitForRange === undefined)
    changeDelegate(turn, preferred);
  const { delegation } = sender;
  if (delegation !== undefined) {
    if (node.tick < delegation.dueTick) return;
    if (
      delegation.tries >= config.heartbeatGrace &&
      delegation.to !== config.self
    ) {
      giveUpOn(turn, delegation.to);
      delegate(turn);
      return;
    }
    delegation.tries += 1;
    delegation.dueTick = nextTry(turn, delegation.tries, delegation.key);
    sendDelegation(turn, delegation.ids);
    return;
  }
  if (sender.waitForRange !== undefined || node.tick < sender.pausedUntil)
    return;
  const ids = takeOutgoing(sender, roomAt(sender, preferred));
  if (ids.length === 0) return;
  const key = newKey(turn);
  sender.delegation = {
    key,
    to: preferred,
    ids,
    tries: 0,
    dueTick: nextTry(turn, 0, key),
  };
  for (const id of ids) {
    const transaction = sender.transactions.get(id);
    if (transaction !== undefined)
      tell(turn, transaction, { type: "Delegated", to: preferred });
  }
  sendDelegation(turn, ids);
}

function sendDelegation(turn: Turn, ids: readonly IntentId[]): void {
  const { sender, height } = turn.node;
  const { delegation } = sender;
  if (delegation === undefined) return;
  const intents = ids.flatMap((id) => {
    const transaction = sender.transactions.get(id);
    return transaction?.sentTo === delegation.to ? [transaction.intent] : [];
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

/** How many more one delegation may send to a coordinator. The others wait here, where they cost nobody anything. */
function roomAt({ sent }: Sender, coordinator: NodeName): number {
  const taken = sent.get(coordinator)?.size ?? 0;
  return Math.min(limits.delegation, limits.delegated - taken);
}

function takeOutgoing(sender: Sender, countMax: number): IntentId[] {
  const ids = new Set<IntentId>();
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
    if (transaction.waitsFor.size > 0) continue;
    ids.add(id);
  }
  return [...ids];
}

/** A coordinator has what we sent. */
export function acceptDelegation(
  turn: Turn,
  from: NodeName,
  { key, ids }: MessageOf<"DelegationAccepted">,
): void {
  const { sender, tick } = turn.node;
  if (from === sender.delegate) sender.heardTick = tick;
  if (sender.delegation?.key === key) {
    sender.delegation = undefined;
    sender.refusals = 0;
  }
  for (const id of ids) {
    const transaction = sender.transactions.get(id);
    if (transaction?.sentTo === from) transaction.isAccepted = true;
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
  if (sender.delegation?.key !== message.key) return;
  sender.delegation = undefined;
  sender.refusals += 1;
  sender.pausedUntil = nextTry(turn, sender.refusals, message.key);
  const theirs = Math.min(message.height, node.height + limits.aheadBlocks);
  if (
    rangeOf(node, theirs) > rangeOf(node, node.height) &&
    message.reason === "sender-behind"
  ) {
    sender.waitForRange = rangeOf(node, theirs);
    sender.waitUntilTick = node.tick + node.config.stateTicks;
  }
  for (const id of message.ids) {
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
  if (
    node.config.policy === "sticky" &&
    candidates(node).includes(active) &&
    !isSilent(node, active)
  ) {
    sender.active = { node: active, tick: node.tick };
    changeDelegate(turn, active);
  }
}
