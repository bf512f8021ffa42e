import {
  candidates,
  graceTicks,
  isSilent,
  outranks,
  rangeOf,
  type Sequencer,
  type Turn,
} from "../turn.ts";
import { isRemembered } from "../recent.ts";
import type { Coordinator, CoordinatorEvent } from "./model.ts";
import type { IntentId, NodeName } from "../ids.ts";

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

/** The same, but what was in flight when this node gave way still is. */
export function mayStartAfterFlush(
  coordinator: Coordinator,
  event: EventOf<"TransactionsDelegated">,
  turn: Turn,
): boolean {
  return (
    isInFlight(coordinator, event, turn) &&
    mayStartAtOnce(coordinator, event, turn)
  );
}

/** The role is this node's, but what was in flight when it gave way still is. */
export function mayCoordinateAfterFlush(
  coordinator: Coordinator,
  event: EventOf<"TransactionsDelegated">,
  turn: Turn,
): boolean {
  return (
    isInFlight(coordinator, event, turn) &&
    mayCoordinate(coordinator, event, turn)
  );
}

/** Something that the other dispatched is not on the ledger yet, as far as this node has seen it. */
export function hasToWaitFor(
  coordinator: Coordinator,
  { handover }: EventOf<"HandoverReceived">,
  { node }: Turn,
): boolean {
  return (
    candidates(node).includes(node.config.self) &&
    handover.flushUntil > node.height &&
    handover.flush.some((id) => !isOnLedger(coordinator, node, id))
  );
}

/** Nothing is dispatched here yet, so that what the other dispatched can come first. */
export function mayStillWaitFor(
  coordinator: Coordinator,
  event: EventOf<"HandoverReceived">,
  turn: Turn,
): boolean {
  return (
    hasNothingDispatched(coordinator) && hasToWaitFor(coordinator, event, turn)
  );
}

/** The one who hands over is the one it was expected from, and all that he dispatched is on the ledger. */
export function hasNothingToWaitFor(
  coordinator: Coordinator,
  event: EventOf<"HandoverReceived">,
  turn: Turn,
): boolean {
  return (
    isPredecessor(coordinator, event) &&
    !isInFlight(coordinator, event, turn) &&
    !hasToWaitFor(coordinator, event, turn)
  );
}

/** The same, but what was in flight when this node gave way still is. */
export function hasNothingNewToWaitFor(
  coordinator: Coordinator,
  event: EventOf<"HandoverReceived">,
  turn: Turn,
): boolean {
  return (
    isPredecessor(coordinator, event) &&
    isInFlight(coordinator, event, turn) &&
    !hasToWaitFor(coordinator, event, turn)
  );
}

/** Whether this node has seen, and remembers, that an intent is over. */
export function isOnLedger(
  { ended }: Coordinator,
  { endorser }: Sequencer,
  id: IntentId,
): boolean {
  return isRemembered(ended, id) || isRemembered(endorser.fulfilled, id);
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
    range === rangeOf(node, node.height) + 1 &&
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
    outranks(node, from, node.config.self)
  );
}

/** The one who asks for the role comes before this node, as this node sees the range. */
export function isAskedByHigher(
  _: Coordinator,
  { from }: EventOf<"HandoverRequestReceived">,
  { node }: Turn,
): boolean {
  return outranks(node, from, node.config.self);
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
    !isFirst(node)
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

export function isFlushed({ flush }: Coordinator): boolean {
  return flush.size === 0;
}

/**
 * What the predecessor dispatched can no longer happen, as far as it has not. A node that does not catch up with him soon
 * has not been told the truth about the height.
 */
export function isFlushOver(
  { flushUntil, handoverHeight, enteredTick }: Coordinator,
  _event: unknown,
  { node }: Turn,
): boolean {
  const isBehind = node.height < handoverHeight;
  return isBehind
    ? node.tick - enteredTick >= node.config.stateTicks
    : node.height >= flushUntil;
}

/** What was taken over is neither on the ledger, as far as this node has seen it, nor too late for it. */
export function isInFlight(
  coordinator: Coordinator,
  event: unknown,
  turn: Turn,
): boolean {
  return !isFlushed(coordinator) && !isFlushOver(coordinator, event, turn);
}

/**
 * The predecessor has nothing left that it dispatched, and this node has seen the blocks that he has seen. He learns of
 * it from a block: what he said up to the height at which he handed over only comes late.
 */
export function isPredecessorClosing(
  { predecessor, handoverHeight }: Coordinator,
  { from, heartbeat }: EventOf<"HeartbeatReceived">,
  { node }: Turn,
): boolean {
  return (
    predecessor === from &&
    heartbeat.state === "Closing" &&
    heartbeat.height > handoverHeight &&
    heartbeat.height <= node.height
  );
}

export function isPredecessor(
  { predecessor }: Coordinator,
  { from }: { readonly from: NodeName },
): boolean {
  return predecessor === from;
}

export function isClosed(
  { closingBeats }: Coordinator,
  _event: unknown,
  { node }: Turn,
): boolean {
  return closingBeats >= node.config.closingGrace;
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
