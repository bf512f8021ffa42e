import { createHeap, push } from "../../heap.ts";
import { remember } from "../../recent.ts";
import { nextTry, raise, send, type Turn } from "../../turn.ts";
import {
  addToContext,
  linkToProducers,
  removeFromContext,
} from "../context.ts";
import { dissolveBundleOf } from "../bundles.ts";
import { removeTransaction } from "../indexes.ts";
import { tellTransaction } from "../tell.ts";
import { isUndispatched } from "./guards.ts";
import type {
  CoordinatorTransaction,
  CoordinatorTransactionEvent,
} from "./model.ts";

type EventOf<Type extends CoordinatorTransactionEvent["type"]> = Extract<
  CoordinatorTransactionEvent,
  { readonly type: Type }
>;

/** Puts it into its sender's queue, at the place that its arrival gives it. */
export function pool(
  transaction: CoordinatorTransaction,
  _event: unknown,
  turn: Turn,
): void {
  const { pools, turns } = turn.node.coordinator;
  let queue = pools.get(transaction.sender);
  if (queue === undefined) {
    queue = createHeap();
    pools.set(transaction.sender, queue);
    turns.push(transaction.sender);
  }
  push(queue, transaction.order, transaction.id);
  raise(turn, "TransactionPooled");
}

export function noteRequest(
  transaction: CoordinatorTransaction,
  { key }: EventOf<"AssembleRequestSent">,
): void {
  transaction.request = key;
}

export function backOff(
  transaction: CoordinatorTransaction,
  _event: unknown,
  turn: Turn,
): void {
  transaction.failures += 1;
  transaction.notBefore = nextTry(turn, transaction.failures, transaction.id);
}

/**
 * Takes what it spends and creates into the speculative view, and frees those that waited for it. What is only prepared
 * may never happen: it locks nothing, and nothing is built on it.
 */
export function addStep(
  transaction: CoordinatorTransaction,
  { step }: EventOf<"Assemble_Success">,
  turn: Turn,
): void {
  const { coordinator } = turn.node;
  transaction.step = step;
  raise(turn, "StepAssembled");
  if (transaction.intent.isPrepareOnly) {
    linkToProducers(coordinator, transaction, step);
    coordinator.toPrepare.add(transaction.id);
  } else {
    addToContext(coordinator, transaction, step);
    coordinator.assembled.add(transaction.id);
  }
  for (const dependant of followersOf(transaction, turn)) {
    dependant.waitsFor.delete(transaction.id);
    tellTransaction(turn, dependant, { type: "DependencyAssembled" });
  }
}

/** Takes its step back out of the speculative view; whatever was built on it, or follows it, falls too. */
export function fall(
  transaction: CoordinatorTransaction,
  _event: unknown,
  turn: Turn,
): void {
  if (transaction.step === undefined) return;
  raise(turn, "StepFell");
  dissolveBundleOf(turn, transaction.id);
  for (const dependant of followersOf(transaction, turn)) {
    if (!isUndispatched(dependant.state)) continue;
    dependant.waitsFor.add(transaction.id);
    tellTransaction(turn, dependant, { type: "DependencyReverted" });
  }
  for (const id of [...(transaction.usedBy ?? [])]) {
    const dependant = turn.node.coordinator.transactions.get(id);
    if (dependant !== undefined)
      tellTransaction(turn, dependant, { type: "DependencyReverted" });
  }
  removeFromContext(turn.node.coordinator, transaction);
}

/** The sender decides what happens next; its counter of retries is durable. */
export function giveBack(
  { id, sender, request: key }: CoordinatorTransaction,
  { detail }: EventOf<"EndorsedRejected">,
  turn: Turn,
): void {
  if (key === undefined) return;
  const reason = `Not endorsed: ${detail}`;
  send(turn, sender, { type: "TransactionRefused", key, id, reason });
}

/** It goes back to its sender, who delegates it again when he can. */
function giveUp({ id, sender }: CoordinatorTransaction, turn: Turn): void {
  const { height } = turn.node;
  send(turn, sender, { type: "DelegationReturned", ids: [id], height });
}

/** It is over; it stays for a heartbeat, so that the sender hears of it. */
export function end(
  transaction: CoordinatorTransaction,
  _event: unknown,
  turn: Turn,
): void {
  const { coordinator } = turn.node;
  coordinator.over.push(transaction);
  leaveFollowers(transaction, turn);
  remember(coordinator.ended, transaction.id, true);
}

export function remove(
  transaction: CoordinatorTransaction,
  _event: unknown,
  turn: Turn,
): void {
  removeTransaction(turn.node.coordinator, transaction);
  leaveFollowers(transaction, turn);
}

const nobody: readonly CoordinatorTransaction[] = [];

/** Those in flight here that follow it. */
function followersOf(
  { id }: CoordinatorTransaction,
  { node }: Turn,
): readonly CoordinatorTransaction[] {
  const { dependants, transactions } = node.coordinator;
  const ids = dependants.get(id);
  if (ids === undefined) return nobody;
  return [...ids].flatMap((one) => transactions.get(one) ?? []);
}

/** It is over. If it is confirmed, those that follow it can go on; otherwise their senders decide what happens next. */
function leaveFollowers(transaction: CoordinatorTransaction, turn: Turn): void {
  const { id, state } = transaction;
  const followers = followersOf(transaction, turn);
  turn.node.coordinator.dependants.delete(id);
  for (const follower of followers) {
    follower.waitsFor.delete(id);
    follower.follows?.delete(id);
    if (state === "Confirmed")
      tellTransaction(turn, follower, { type: "DependencyAssembled" });
    else if (tellTransaction(turn, follower, { type: "Withdrawn" }))
      giveUp(follower, turn);
  }
}
