import type { IntentId, NodeName } from "../ids.ts";
import { limits } from "../limits.ts";
import { isRemembered } from "../recent.ts";
import { lengthOfStates } from "../size.ts";
import { candidates, rangeOf, type Sequencer, type Turn } from "../turn.ts";
import {
  hasNothingDispatched,
  mayCoordinate,
  mayStartAtOnce,
} from "./guards.ts";
import type { Coordinator, CoordinatorEvent } from "./model.ts";

// Guards about what a predecessor dispatched, and whether to wait for it.

type EventOf<Type extends CoordinatorEvent["type"]> = Extract<
  CoordinatorEvent,
  { readonly type: Type }
>;

/** Nobody else is at work, but what was in flight when this node gave way still is. */
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

/**
 * Whether a handover that would make this node wait is not believed. Whoever hands over was asked to, or was last heard at work
 * or flushing, or had its turn just before; and this node has not waited for it in vain lately.
 */
export function isDubious(
  node: Sequencer,
  from: NodeName,
  handover: EventOf<"HandoverReceived">["handover"],
): boolean {
  const { coordinator, beats } = node;
  const { flush, flushUntil } = handover;
  if (isTooMuch(coordinator, handover)) return true;
  const isOver =
    flushUntil <= node.height ||
    flush.every((id) => isOnLedger(coordinator, node, id));
  if (isOver) return false;
  if (isNotAwaited(node, from)) return true;
  const { state } = beats.get(from) ?? {};
  const isAtWork = state === "Active" || state === "Flush";
  return (
    !isAtWork && coordinator.predecessor !== from && !hadItsTurn(node, from)
  );
}

/** Together with what was taken over before it is more than coordinators have in flight, and than one message hands on. */
function isTooMuch(
  { flush, flushDigests, imported, spent }: Coordinator,
  { flush: ids, digests, context }: EventOf<"HandoverReceived">["handover"],
): boolean {
  const statesMax = limits.speculative * limits.states;
  const length =
    lengthOfStates([...imported.values()]) + lengthOfStates(context.created);
  return (
    flush.size + countNew(flush, ids) > limits.speculative ||
    flushDigests.size + countNew(flushDigests, digests) > limits.speculative ||
    imported.size + context.created.length > statesMax ||
    spent.size + context.spent.length > statesMax ||
    length > 2 * limits.messageBytes
  );
}

function countNew<Id>(known: ReadonlySet<Id>, ids: readonly Id[]): number {
  return ids.filter((id) => !known.has(id)).length;
}

/** Whether this node waited for that one in vain lately, and does not wait for it again. */
export function isNotAwaited(
  { coordinator, tick }: Sequencer,
  node: NodeName,
): boolean {
  return (coordinator.waits.get(node)?.untilTick ?? 0) > tick;
}

/** The role moves with every range, and the last one was that node's. */
function hadItsTurn(node: Sequencer, from: NodeName): boolean {
  const last = rangeOf(node, node.height) - 1;
  return (
    node.config.policy === "rotating" && candidates(node, last)[0] === from
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

export function isFlushed({ flush }: Coordinator): boolean {
  return flush.size === 0;
}

/**
 * What the predecessor dispatched can no longer happen, as far as it has not. A node that does not catch up with him soon
 * has not been told the truth about the height.
 */
export function isFlushOver(
  { flushUntil, handoverHeight, flushTick }: Coordinator,
  _event: unknown,
  { node }: Turn,
): boolean {
  const isBehind = node.height < handoverHeight;
  return isBehind
    ? node.tick - flushTick >= node.config.stateTicks
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
