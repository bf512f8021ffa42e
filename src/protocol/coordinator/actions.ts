import type { IntentId, NodeName } from "../ids.ts";
import { limits } from "../limits.ts";
import type { CoordinatorClaim } from "../messages.ts";
import { forgetAll } from "../recent.ts";
import {
  bySender,
  graceTicks,
  idsOf,
  isSuspected,
  pages,
  raise,
  rangeOf,
  send,
  type Turn,
} from "../turn.ts";
import { dropImportedContext } from "./context.ts";
import type { Coordinator, CoordinatorEvent } from "./model.ts";
import { tellTransaction } from "./tell.ts";
import { isUndispatched } from "./transaction/guards.ts";

type EventOf<Type extends CoordinatorEvent["type"]> = Extract<
  CoordinatorEvent,
  { readonly type: Type }
>;

/** How much it matters to know of a coordinator: first those who dispatch, then those whose work is not on the ledger. */
function weightOf(claim: CoordinatorClaim): number {
  switch (claim) {
    case "Active":
      return 4;
    case "Flush":
      return 3;
    case "Prepared":
      return 2;
    case "Elect":
      return 1;
    case "Closing":
      return 0;
  }
}

/** Takes note of another coordinator. */
export function note(
  coordinator: Coordinator,
  { from, heartbeat }: EventOf<"HeartbeatReceived">,
  { node }: Turn,
): void {
  const { other } = coordinator;
  if (isSuspected(node, from)) return;
  const isFresh =
    other !== undefined && node.tick - other.tick <= graceTicks(node.config);
  if (
    isFresh &&
    other.node !== from &&
    weightOf(heartbeat.state) < weightOf(other.claim)
  )
    return;
  coordinator.other = { node: from, claim: heartbeat.state, tick: node.tick };
}

/** Dispatches from now on. What was taken over is on the ledger, or never will be. */
export function activate(
  coordinator: Coordinator,
  _event: unknown,
  turn: Turn,
): void {
  const { node } = turn;
  raise(turn, "RoleTaken");
  coordinator.enteredTick = node.tick;
  coordinator.activeRange = rangeOf(node, node.height);
  // The next tick tells the others: two that start at the same time must notice soon.
  coordinator.heartbeatTick = node.tick - node.config.heartbeatTicks;
  coordinator.predecessor = undefined;
  coordinator.successor = undefined;
  coordinator.closingBeats = 0;
  forgetFlush(coordinator);
}

/** Forgets what was taken over: it is over, or nobody waits for it any more. */
export function forgetFlush(coordinator: Coordinator): void {
  coordinator.flush.clear();
  coordinator.flushOwner = undefined;
  coordinator.flushDigests.clear();
  coordinator.flushUntil = 0;
  dropImportedContext(coordinator);
}

/** Gives all that is not dispatched back to the senders. */
export function returnWork(
  coordinator: Coordinator,
  _event: unknown,
  turn: Turn,
): void {
  coordinator.bundles = [];
  coordinator.preparations = [];
  coordinator.assembled.clear();
  coordinator.toPrepare.clear();
  coordinator.assemblies.clear();
  const undispatched = [...coordinator.transactions.values()].filter(
    ({ state }) => isUndispatched(state),
  );
  for (const transaction of undispatched.reverse())
    tellTransaction(turn, transaction, { type: "Withdrawn" });
  coordinator.pools.clear();
  coordinator.turns.length = 0;
  coordinator.silences.clear();
  for (const [sender, transactions] of bySender(
    undispatched.reverse(),
    (transaction) => transaction.sender,
  )) {
    sendReturned(turn, sender, idsOf(transactions));
  }
}

/** Says what a sender gets back. */
export function sendReturned(
  turn: Turn,
  sender: NodeName,
  ids: readonly IntentId[],
): void {
  const { height } = turn.node;
  for (const page of pages(ids, limits.heartbeat))
    send(turn, sender, { type: "DelegationReturned", ids: page, height });
}

export function countBeat(coordinator: Coordinator): void {
  coordinator.closingBeats += 1;
}

export function rest(
  coordinator: Coordinator,
  _event: unknown,
  turn: Turn,
): void {
  coordinator.successor = undefined;
  coordinator.predecessor = undefined;
  coordinator.closingBeats = 0;
  coordinator.pools.clear();
  coordinator.turns.length = 0;
  coordinator.silences.clear();
  const { tick, config } = turn.node;
  for (const [sender, { untilTick }] of coordinator.offences)
    if (untilTick + config.stateTicks * limits.pause < tick)
      coordinator.offences.delete(sender);
  forgetAll(coordinator.places);
}
