import type { LedgerFact } from "../events.ts";
import type { NodeName } from "../ids.ts";
import { limits } from "../limits.ts";
import type { HandoverRecord } from "../records.ts";
import {
  candidates,
  flushTicks,
  graceTicks,
  isSilent,
  newKey,
  nextRequest,
  raise,
  send,
  type Turn,
} from "../turn.ts";
import { forgetFlush, returnWork } from "./actions.ts";
import { dissolve } from "./bundles.ts";
import {
  distrustImportedContext,
  dropImportedContext,
  importContext,
  viewOf,
} from "./context.ts";
import { isInFlight, isOnLedger } from "./flush-guards.ts";
import type { Coordinator, CoordinatorEvent } from "./model.ts";
import { importPlaces, placesOfContext } from "./places.ts";
import { tellTransaction } from "./tell.ts";
import { isUndispatched } from "./transaction/guards.ts";

type EventOf<Type extends CoordinatorEvent["type"]> = Extract<
  CoordinatorEvent,
  { readonly type: Type }
>;

/** Asks the one at work to hand over. */
export function askForHandover(
  coordinator: Coordinator,
  _event: unknown,
  turn: Turn,
): void {
  const { node } = turn;
  coordinator.enteredTick = node.tick;
  coordinator.successor = undefined;
  coordinator.closingBeats = 0;
  coordinator.predecessor = coordinator.other?.node;
  if (coordinator.predecessor !== undefined)
    send(turn, coordinator.predecessor, {
      type: "HandoverRequest",
      height: node.height,
    });
}

/** Builds on what the predecessor dispatched, and waits until it is confirmed. */
export function prepare(
  coordinator: Coordinator,
  { from, handover }: EventOf<"HandoverReceived">,
  turn: Turn,
): void {
  const { node } = turn;
  raise(turn, "RoleTaken");
  coordinator.enteredTick = node.tick;
  if (isToldOtherwise(coordinator, handover)) {
    assembleAgain(turn);
    dropImportedContext(coordinator);
    coordinator.flushDigests.clear();
  }
  if (coordinator.flushOwner === undefined) coordinator.flushTick = node.tick;
  coordinator.flushOwner = from;
  // Nobody is believed who says that he is far ahead, nor makes this node wait for longer than a bundle can be valid.
  const height = Math.min(handover.height, node.height + limits.behindBlocks);
  const highest =
    Math.max(node.height, height) + 2 * node.config.validForBlocks;
  coordinator.handoverHeight = height;
  importContext(coordinator, handover.context);
  importPlaces(coordinator, handover.places);
  coordinator.flushUntil = Math.max(
    coordinator.flushUntil,
    Math.min(handover.flushUntil, highest),
  );
  for (const id of handover.flush)
    if (!isOnLedger(coordinator, node, id)) coordinator.flush.add(id);
  for (const digest of handover.digests) coordinator.flushDigests.add(digest);
}

/**
 * What this node waits for is in another bundle now: what was dispatched before has failed, or somebody else dispatched it too.
 * At most one of them happens, and the states of the others will never be.
 */
function isToldOtherwise(
  { flush, flushDigests }: Coordinator,
  handover: EventOf<"HandoverReceived">["handover"],
): boolean {
  return (
    handover.digests.some((digest) => !flushDigests.has(digest)) &&
    handover.flush.some((id) => flush.has(id))
  );
}

/** What the predecessor dispatched happened, or an intent in it happened in another way. Then the context is false. */
export function seeFlushed(turn: Turn, { intents, digest }: LedgerFact): void {
  const { coordinator } = turn.node;
  let isAwaited = false;
  for (const id of intents)
    isAwaited = coordinator.flush.delete(id) || isAwaited;
  if (!isAwaited || coordinator.flushDigests.has(digest)) return;
  assembleAgain(turn);
  dropImportedContext(coordinator);
}

/**
 * The role comes unasked. If this node has waited for the same one before it gave way, he may have dispatched since: there is a grace
 * for that, and no more, so that nobody is waited for again and again.
 */
export function succeed(
  coordinator: Coordinator,
  { from }: EventOf<"HandoverReceived">,
  { node: { tick, config } }: Turn,
): void {
  coordinator.flushTick = Math.max(
    coordinator.flushTick,
    tick - flushTicks(config) + graceTicks(config),
  );
  coordinator.predecessor = from;
  coordinator.successor = undefined;
  coordinator.closingBeats = 0;
}

/** Stops: returns what is not dispatched, and tells the successor what is. */
export function handOverToHim(
  coordinator: Coordinator,
  { from }: { readonly from: NodeName },
  turn: Turn,
): void {
  handOver(coordinator, from, turn);
}

/** Whoever asks for the role is about to take it up, also if nothing else is heard of him yet. */
export function noteAsking(
  coordinator: Coordinator,
  { from }: EventOf<"HandoverRequestReceived">,
  { node }: Turn,
): void {
  coordinator.other = { node: from, claim: "Elect", tick: node.tick };
}

export function handOverToFirst(
  coordinator: Coordinator,
  _event: unknown,
  turn: Turn,
): void {
  const { node } = turn;
  const first = candidates(node).find(
    (candidate) => !isSilent(node, candidate) && candidate !== node.config.self,
  );
  if (first !== undefined) handOver(coordinator, first, turn);
}

function handOver(coordinator: Coordinator, to: NodeName, turn: Turn): void {
  coordinator.successor = to;
  coordinator.enteredTick = turn.node.tick;
  returnWork(coordinator, undefined, turn);
  const dispatched = [...coordinator.dispatched.values()];
  const flush = [
    ...coordinator.flush,
    ...dispatched.flatMap(({ open }) => [...open]),
  ];
  const key = newKey(turn);
  const record: HandoverRecord = {
    kind: "handover",
    key,
    to,
    height: turn.node.height,
    context: viewOf(coordinator),
    places: placesOfContext(coordinator),
    flush,
    digests: [...coordinator.flushDigests, ...coordinator.dispatched.keys()],
    // Without dispatched work it only says that there is none; nobody needs to hear that for ever either.
    flushUntil:
      flush.length === 0
        ? turn.node.height + turn.node.config.validForBlocks
        : Math.max(
            coordinator.flushUntil,
            ...dispatched.map(({ record: { bundle } }) => bundle.validUntil),
          ),
  };
  for (const [oldKey, { record: old }] of coordinator.handovers) {
    coordinator.handovers.delete(oldKey);
    turn.effects.push({ type: "Erase", key: `handover:${old.key}` });
  }
  coordinator.handovers.set(key, {
    record,
    tries: 0,
    dueTick: nextRequest(turn, 0, key),
  });
  turn.effects.push({ type: "Save", record });
  sendHandover(turn, record);
}

/** Says that there is nothing to wait for. The one who asks asks again if this is lost. */
export function handOverNothing(
  _: Coordinator,
  { from }: EventOf<"HandoverRequestReceived">,
  turn: Turn,
): void {
  send(turn, from, {
    type: "Handover",
    key: newKey(turn),
    height: turn.node.height,
    context: { created: [], spent: [] },
    places: [],
    flush: [],
    digests: [],
    flushUntil: 0,
  });
}

/** Repeated until it is acknowledged. */
export function sendHandover(turn: Turn, record: HandoverRecord): void {
  const { to, key, height, context, places } = record;
  const { flush, digests, flushUntil } = record;
  send(turn, to, {
    type: "Handover",
    key,
    height,
    context,
    places,
    flush,
    digests,
    flushUntil,
  });
}

/** What was taken over may never happen: whatever is assembled, perhaps on top of it, is assembled again. */
export function distrust(
  coordinator: Coordinator,
  _event: unknown,
  turn: Turn,
): void {
  if (coordinator.flush.size === 0) return;
  if (coordinator.flushOwner !== undefined)
    noteVainWait(turn, coordinator.flushOwner);
  assembleAgain(turn);
}

/** It may not have been his fault. But whoever makes others wait for nothing again and again is not waited for. */
export function noteVainWait({ node }: Turn, predecessor: NodeName): void {
  const { waits } = node.coordinator;
  const count = (waits.get(predecessor)?.count ?? 0) + 1;
  const pause = flushTicks(node.config) * Math.min(4 ** count, limits.pause);
  waits.set(predecessor, { count, untilTick: node.tick + pause });
}

/**
 * What the predecessor dispatched is on the ledger. Whether it did there what he said only the senders see: steps that use
 * states which nobody but he has shown are assembled again.
 */
export function verifyContext(
  coordinator: Coordinator,
  _event: unknown,
  turn: Turn,
): void {
  const { imported, transactions, flushOwner, waits } = coordinator;
  if (flushOwner !== undefined) waits.delete(flushOwner);
  if (imported.size === 0) return;
  distrustImportedContext(coordinator);
  for (const transaction of [...transactions.values()]) {
    const { step, state } = transaction;
    if (step === undefined || !isUndispatched(state)) continue;
    if ([...step.inputs, ...step.reads].some((id) => imported.has(id)))
      tellTransaction(turn, transaction, { type: "DependencyReverted" });
  }
}

function assembleAgain(turn: Turn): void {
  const { coordinator } = turn.node;
  const { transactions } = coordinator;
  distrustImportedContext(coordinator);
  for (const transaction of [...transactions.values()])
    if (transaction.step !== undefined && isUndispatched(transaction.state))
      tellTransaction(turn, transaction, { type: "DependencyReverted" });
}

/**
 * Does not dispatch for now. Steps that spend or read what the predecessor's transitions spend can never happen: they
 * are assembled again.
 */
export function stepBack(
  { transactions, bundles }: Coordinator,
  { handover }: EventOf<"HandoverReceived">,
  turn: Turn,
): void {
  const [first] = bundles;
  if (first?.isAsking === true) dissolve(turn, first);
  const spent = new Set(handover.context.spent);
  for (const transaction of [...transactions.values()]) {
    const { step, state } = transaction;
    if (step === undefined || !isUndispatched(state)) continue;
    if ([...step.inputs, ...step.reads].some((id) => spent.has(id)))
      tellTransaction(turn, transaction, { type: "DependencyReverted" });
  }
}

/**
 * Somebody else takes the role up, and what was to be built on is his business. It is in flight all the same, and the role
 * may come back soon: without the bundles, whatever is assembled then is assembled again when it happens.
 */
export function giveWay(
  coordinator: Coordinator,
  _event: unknown,
  { node }: Turn,
): void {
  coordinator.enteredTick = node.tick;
  coordinator.predecessor = undefined;
  coordinator.flushDigests.clear();
  dropImportedContext(coordinator);
}

/** The role is back, and what was in flight when this node gave way still is: waits for it as before. */
export function keepWaiting(
  coordinator: Coordinator,
  _event: unknown,
  turn: Turn,
): void {
  raise(turn, "RoleTaken");
  coordinator.enteredTick = turn.node.tick;
  coordinator.predecessor = coordinator.flushOwner;
  coordinator.successor = undefined;
}

/**
 * A node that gave way forgets what was in flight when that is over. After a grace without the role it does in any case:
 * whoever still flushes then was heard meanwhile.
 */
export function watchFlush(turn: Turn): void {
  const { coordinator, tick, config } = turn.node;
  const { state, flushOwner, enteredTick } = coordinator;
  if (flushOwner === undefined || state === "Prepared") return;
  const isOld = state !== "Elect" && tick - enteredTick > graceTicks(config);
  if (isOld || !isInFlight(coordinator, undefined, turn))
    forgetFlush(coordinator);
}
