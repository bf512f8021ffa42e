import {
  candidates,
  graceTicks,
  isSilent,
  isSuspected,
  outranks,
  rangeOf,
  type Sequencer,
  type Turn,
} from "../turn.ts";
import { canLeave, isDraining } from "../leaving.ts";
import type { Coordinator, CoordinatorEvent } from "./model.ts";
import type { NodeName } from "../ids.ts";

type EventOf<Type extends CoordinatorEvent["type"]> = Extract<
  CoordinatorEvent,
  { readonly type: Type }
>;

/** Another coordinator that is at work, if one was heard lately. */
export function liveOther({
  coordinator,
  tick,
  config,
}: Sequencer): NodeName | undefined {
  const { other } = coordinator;
  if (other === undefined || tick - other.tick > graceTicks(config))
    return undefined;
  return other.claim === "Active" ||
    other.claim === "Elect" ||
    other.claim === "Prepared"
    ? other.node
    : undefined;
}

/** Another coordinator whose dispatched work may not be on the ledger yet. */
export function busyOther(node: Sequencer): NodeName | undefined {
  const { coordinator, tick, config } = node;
  const { other } = coordinator;
  if (other?.claim !== "Flush" || tick - other.tick > graceTicks(config))
    return liveOther(node);
  return other.node;
}

/** Whether this node is the first that is not known to be silent, as it sees the range. */
export function isFirst(node: Sequencer): boolean {
  const { self } = node.config;
  return (
    !isDraining(node) &&
    candidates(node).find(
      (candidate) => candidate === self || !isSilent(node, candidate),
    ) === self
  );
}

/** Whether this node may take a delegation, by its own view alone. protocol.md#5 */
export function isEntitled(
  node: Sequencer,
  from: NodeName,
  theirHeight: number,
): boolean {
  const { self, mode, policy } = node.config;
  if (mode === "local") return from === self;
  if (isDraining(node)) return false;
  const order = candidates(node);
  if (!order.includes(self)) return false;
  const other = liveOther(node);
  if (policy === "sticky")
    return other === undefined || outranks(node, self, other);
  if (order[0] === self) return true;
  return (
    rangeOf(node, theirHeight) === rangeOf(node, node.height) &&
    (other === undefined || outranks(node, self, other))
  );
}

/** In local mode a node serves nobody but itself. */
export function mayDelegate(
  _: Coordinator,
  { from }: EventOf<"TransactionsDelegated">,
  { node }: Turn,
): boolean {
  return node.config.mode !== "local" || from === node.config.self;
}

export function mayCoordinate(
  _: Coordinator,
  { from, request }: EventOf<"TransactionsDelegated">,
  { node }: Turn,
): boolean {
  return isEntitled(node, from, request.height);
}

/** Nobody else is at work, or has work to flush. */
export function mayStartAtOnce(
  _: Coordinator,
  { from, request }: EventOf<"TransactionsDelegated">,
  { node }: Turn,
): boolean {
  return (
    busyOther(node) === undefined && isEntitled(node, from, request.height)
  );
}

/** This node's turn comes in the range that the sender has reached and this node has not. */
export function isNextAt(
  _: Coordinator,
  { request }: EventOf<"TransactionsDelegated">,
  { node }: Turn,
): boolean {
  const range = rangeOf(node, request.height);
  return (
    node.config.policy === "rotating" &&
    node.config.mode !== "local" &&
    range === rangeOf(node, node.height) + 1 &&
    !isDraining(node) &&
    candidates(node, range)[0] === node.config.self
  );
}

export function isForeign(
  _: Coordinator,
  { from }: { readonly from: NodeName },
  { node }: Turn,
): boolean {
  return from !== node.config.self;
}

/** Another node coordinates, or has dispatched what is not on the ledger yet. */
export function isBusy(
  coordinator: Coordinator,
  event: EventOf<"HeartbeatReceived">,
  turn: Turn,
): boolean {
  return (
    event.heartbeat.state !== "Closing" && isForeign(coordinator, event, turn)
  );
}

/** A coordinator that this node outranks is at work, and the policy gives the role to the higher rank. */
export function shouldTakeOver(
  _: Coordinator,
  { from, heartbeat }: EventOf<"HeartbeatReceived">,
  { node }: Turn,
): boolean {
  const { self, policy } = node.config;
  return (
    policy === "rotating" &&
    from !== self &&
    isWorking(heartbeat.state) &&
    // Whoever is behind does not know whose turn it is.
    rangeOf(node, heartbeat.height) <= rangeOf(node, node.height) &&
    isFirst(node) &&
    outranks(node, self, from)
  );
}

/** Another node is at work that comes before this one now. */
export function isOutrankedBy(
  _: Coordinator,
  { from, heartbeat }: EventOf<"HeartbeatReceived">,
  { node }: Turn,
): boolean {
  return (
    from !== node.config.self &&
    heartbeat.state === "Active" &&
    outranks(node, from, node.config.self) &&
    !isSuspected(node, from)
  );
}

/** The one who asks for the role comes before this node, as this node sees the range. */
export function isAskedByHigher(
  _: Coordinator,
  { from }: EventOf<"HandoverRequestReceived">,
  { node }: Turn,
): boolean {
  return !isSuspected(node, from) && outranks(node, from, node.config.self);
}

/** The range has moved on since this node took the role up, and another live node comes first in it. */
export function hasLostTheRange(
  { activeRange }: Coordinator,
  _event: unknown,
  { node }: Turn,
): boolean {
  return (
    node.config.policy === "rotating" &&
    node.config.mode !== "local" &&
    rangeOf(node, node.height) !== activeRange &&
    (isDraining(node) ? canLeave(node) : !isFirst(node))
  );
}

/** The same, and nothing that it dispatched is open. */
export function hasNothingToFlush(
  coordinator: Coordinator,
  event: unknown,
  turn: Turn,
): boolean {
  return (
    hasNothingDispatched(coordinator) &&
    hasLostTheRange(coordinator, event, turn)
  );
}

/** This node's own view has reached the range in which it comes first. */
export function hasReachedItsRange(
  _: Coordinator,
  _event: unknown,
  { node }: Turn,
): boolean {
  return isFirst(node);
}

export function hasNoWork({ transactions, dispatched }: Coordinator): boolean {
  return transactions.size === 0 && dispatched.size === 0;
}

export function hasNothingDispatched({ dispatched }: Coordinator): boolean {
  return dispatched.size === 0;
}

export function isClosed(
  { closingBeats }: Coordinator,
  _event: unknown,
  { node }: Turn,
): boolean {
  return closingBeats >= node.config.closingGrace;
}

/** It is to be stopped soon, and somebody else can coordinate. */
export function mayLeave(
  _: Coordinator,
  _event: unknown,
  { node }: Turn,
): boolean {
  return canLeave(node);
}

/** The same, and nothing that it dispatched is open. */
export function mayLeaveAtOnce(
  coordinator: Coordinator,
  _event: unknown,
  { node }: Turn,
): boolean {
  return hasNothingDispatched(coordinator) && canLeave(node);
}

export function hearsAnother(
  _: Coordinator,
  _event: unknown,
  { node }: Turn,
): boolean {
  return liveOther(node) !== undefined;
}

export function hearsNobody(
  _: Coordinator,
  _event: unknown,
  { node }: Turn,
): boolean {
  return busyOther(node) === undefined;
}

function isWorking(state: string): boolean {
  return state === "Active" || state === "Elect" || state === "Prepared";
}
