import { push } from "../../heap.ts";
import { limits } from "../../limits.ts";
import type { IntentRecord, Receipt } from "../../records.ts";
import { nextTry, raise, type Turn } from "../../turn.ts";
import { putOut, sendTo } from "../outgoing.ts";
import { stopWaiting } from "../waiting.ts";
import type { SenderTransaction, SenderTransactionEvent } from "./model.ts";

type EventOf<Type extends SenderTransactionEvent["type"]> = Extract<
  SenderTransactionEvent,
  { readonly type: Type }
>;

/** The transaction as it goes to disk. */
export function toRecord(
  transaction: SenderTransaction,
  receipt?: Receipt,
): IntentRecord {
  const {
    intent,
    sequence,
    retries,
    parked,
    permission,
    permitted,
    liveUntil,
    fulfilment,
    isDispatched,
    reason,
    isDoomed,
    prepared,
  } = transaction;
  return {
    kind: "intent",
    intent,
    sequence,
    retries,
    parked,
    permission,
    permitted,
    liveUntil,
    fulfilment,
    isDispatched,
    reason,
    isDoomed,
    prepared,
    receipt,
  };
}

export function save(
  transaction: SenderTransaction,
  _event: unknown,
  { effects }: Turn,
): void {
  effects.push({ type: "Save", record: toRecord(transaction) });
}

/** Puts it among those that are sent to the coordinator next. */
export function queue(
  transaction: SenderTransaction,
  _event: unknown,
  turn: Turn,
): void {
  sendTo(turn, transaction, undefined);
  putOut(turn, transaction);
}

export function noteDelegate(
  transaction: SenderTransaction,
  { to }: EventOf<"Delegated">,
  turn: Turn,
): void {
  sendTo(turn, transaction, to);
}

export function keepStep(
  transaction: SenderTransaction,
  { step, key }: EventOf<"AssembleAndSignSuccess">,
): void {
  transaction.step = step;
  transaction.request = key;
  transaction.liveUntil = Math.max(transaction.liveUntil, step.validUntil);
}

export function dropStep(transaction: SenderTransaction): void {
  transaction.step = undefined;
}

/** Durable before it is sent: protocol.md#8, P1S. */
export function permit(
  transaction: SenderTransaction,
  { from, bundle }: EventOf<"DispatchConfirmationRequestReceived">,
  turn: Turn,
): void {
  if (
    transaction.permission?.digest === bundle.digest &&
    transaction.permission.coordinator === from
  )
    return;
  const { permission, permitted } = transaction;
  if (permission !== undefined)
    transaction.permitted = [...permitted, permission.digest].slice(
      -limits.permitted,
    );
  transaction.permission = {
    coordinator: from,
    digest: bundle.digest,
    validUntil: bundle.validUntil,
    attempt: (permission?.attempt ?? 0) + 1,
  };
  transaction.isDispatched = false;
  push(turn.node.sender.expiries, bundle.validUntil, transaction.id);
  save(transaction, undefined, turn);
}

/** Durable before it is acknowledged: protocol.md#8, P2S. */
export function noteDispatch(
  transaction: SenderTransaction,
  event: unknown,
  turn: Turn,
): void {
  transaction.isDispatched = true;
  transaction.parked = undefined;
  save(transaction, event, turn);
}

/** Waits before it is delegated again; the counter is durable. */
export function retryLater(
  transaction: SenderTransaction,
  event: EventOf<"ConfirmedReverted" | "EndorsementRefused" | "AssembleError">,
  turn: Turn,
): void {
  transaction.retries += 1;
  transaction.reason = event.reason;
  transaction.step = undefined;
  transaction.isDispatched = false;
  sendTo(turn, transaction, undefined);
  save(transaction, event, turn);
  const { retries, id } = transaction;
  transaction.retryTick = nextTry(turn, retries, id);
  push(turn.node.sender.delayed, transaction.retryTick, id);
}

/** The same if the domain failed, which seldom passes: it has only a few tries. */
export function retryError(
  transaction: SenderTransaction,
  event: EventOf<"AssembleError">,
  turn: Turn,
): void {
  const { retriesMax } = turn.node.config;
  transaction.retries += Math.max(0, Math.ceil(retriesMax / limits.errors) - 1);
  retryLater(transaction, event, turn);
}

/** Nobody's word but the ledger's ends it: it waits until that moves on, or for a while, longer each time. */
export function postpone(
  transaction: SenderTransaction,
  { reason }: EventOf<"AssemblePostpone">,
  turn: Turn,
): void {
  const { sender } = turn.node;
  const { id } = transaction;
  sendTo(turn, transaction, undefined);
  transaction.reason = reason;
  transaction.retryTick = nextTry(turn, transaction.postponements, id);
  transaction.postponements += 1;
  push(sender.delayed, transaction.retryTick, id);
  sender.postponed.add(transaction);
}

/** It will end as reverted, but a step that was signed for it may still happen: it waits until none can. */
export function doom(
  transaction: SenderTransaction,
  event: { readonly reason: string },
  turn: Turn,
): void {
  transaction.reason = event.reason;
  transaction.isDoomed = true;
  transaction.parked = undefined;
  transaction.step = undefined;
  sendTo(turn, transaction, undefined);
  push(turn.node.sender.expiries, transaction.liveUntil, transaction.id);
  save(transaction, event, turn);
}

export function park(
  transaction: SenderTransaction,
  event: EventOf<"AssemblePark" | "DependencyDoubted">,
  turn: Turn,
): void {
  transaction.parked = event.reason;
  sendTo(turn, transaction, undefined);
  transaction.step = undefined;
  save(transaction, event, turn);
}

export function unpark(
  transaction: SenderTransaction,
  event: EventOf<"Resumed">,
  turn: Turn,
): void {
  transaction.parked = undefined;
  save(transaction, event, turn);
  queue(transaction, event, turn);
}

/** The user gets it. It is over for this node, unless the ledger says that somebody executed it. */
export function handToUser(
  transaction: SenderTransaction,
  { prepared }: EventOf<"PreparedReceived">,
  turn: Turn,
): void {
  const { node, effects } = turn;
  const { id } = transaction;
  const { digest, validUntil } = prepared.bundle;
  transaction.prepared = prepared;
  transaction.step = undefined;
  sendTo(turn, transaction, undefined);
  push(node.sender.expiries, validUntil, id);
  const receipt = { type: "Prepared", id, digest } as const;
  effects.push(
    { type: "Save", record: toRecord(transaction, receipt) },
    { type: "PreparedForUser", id, ...prepared },
  );
}

/** It can no longer be executed. Its receipt stays. */
export function lapse(
  transaction: SenderTransaction,
  _event: unknown,
  turn: Turn,
): void {
  const { id } = transaction;
  turn.node.sender.transactions.delete(id);
  raise(turn, "TransactionEnded");
}

/** Waits for proof that it was its own step. The other members are asked at once: see `fulfilment.ts`. */
export function awaitProof(
  transaction: SenderTransaction,
  event: EventOf<"FulfilledUnseen">,
  turn: Turn,
): void {
  const { sender, tick } = turn.node;
  transaction.fulfilment = event.fulfilment;
  transaction.parked = undefined;
  transaction.step = undefined;
  sendTo(turn, transaction, undefined);
  sender.unproven.set(transaction.id, { tries: 0, dueTick: tick });
  save(transaction, event, turn);
}

/** The ledger no longer has it: it goes on as if it had never been there. */
export function reopen(
  transaction: SenderTransaction,
  event: EventOf<"FulfilmentUndone">,
  turn: Turn,
): void {
  const { sender } = turn.node;
  transaction.fulfilment = undefined;
  sender.unproven.delete(transaction.id);
  save(transaction, event, turn);
  if (transaction.isDoomed)
    push(sender.expiries, transaction.liveUntil, transaction.id);
  else queue(transaction, event, turn);
}

export function confirm(
  transaction: SenderTransaction,
  { block }: EventOf<"ConfirmedSuccess">,
  turn: Turn,
): void {
  settle(transaction, { type: "Confirmed", id: transaction.id, block }, turn);
}

export function revert(
  transaction: SenderTransaction,
  event: SenderTransactionEvent,
  turn: Turn,
): void {
  const reason =
    "reason" in event ? event.reason : (transaction.reason ?? "gave up");
  settle(transaction, { type: "Reverted", id: transaction.id, reason }, turn);
}

function settle(
  transaction: SenderTransaction,
  receipt: Exclude<Receipt, { readonly type: "Prepared" }>,
  turn: Turn,
): void {
  const { node, effects } = turn;
  stopWaiting(turn, transaction);
  node.sender.unproven.delete(transaction.id);
  effects.push(
    { type: "Save", record: toRecord(transaction, receipt) },
    { type: "Settled", receipt },
  );
  node.sender.transactions.delete(transaction.id);
  if (receipt.type === "Reverted")
    turn.failed.push({ id: transaction.id, why: "reverted" });
  raise(turn, "TransactionEnded");
  sendTo(turn, transaction, undefined);
}
