import { restoreDispatch } from "./coordinator/settlement.ts";
import { push } from "./heap.ts";
import type { IntentId } from "./ids.ts";
import type { IntentRecord, RestoredRecord } from "./records.ts";
import { restoreDoubts } from "./sender/dependencies.ts";
import { putOut, sendTo } from "./sender/outgoing.ts";
import {
  createTransaction,
  type SenderTransaction,
} from "./sender/transaction/model.ts";
import { waitFor } from "./sender/waiting.ts";
import { keepSigned } from "./signed.ts";
import { raise, type Turn } from "./turn.ts";

/** Puts everything back as the records say. */
export function restore(
  turn: Turn,
  records: readonly RestoredRecord[],
  fulfilled: readonly IntentId[],
): void {
  const { node } = turn;
  // It sees the ledger for the first time.
  raise(turn, "LedgerMoved");
  for (const record of records)
    if (record.kind === "horizon") node.sender.signedUntil = record.signedUntil;
  const intents = records.filter(
    (record) => record.kind === "intent" && isOpen(record, node.height),
  ) as IntentRecord[];
  for (const record of intents.sort((a, b) => a.sequence - b.sequence))
    restoreIntent(turn, record);
  for (const transaction of node.sender.transactions.values())
    if (transaction.prepared === undefined)
      for (const id of transaction.intent.dependsOn)
        if (!fulfilled.includes(id)) waitFor(turn, transaction, id);
  restoreDoubts(turn);
  for (const record of records) {
    if (record.kind === "intent" && record.receipt?.type === "Reverted")
      turn.failed.push({ id: record.intent.id, why: "reverted" });
    if (record.kind === "intent" && record.receipt?.type === "Prepared")
      if (!isOpen(record, node.height))
        turn.failed.push({
          id: record.intent.id,
          why: "was prepared and not executed",
        });
    if (record.kind === "dispatch") restoreDispatch(turn, record);
    if (record.kind === "endorsed" && record.validUntil >= node.height)
      keepSigned(node.endorser.signed, record);
    if (record.kind === "handover")
      node.coordinator.handovers.set(record.key, {
        record,
        tries: 0,
        dueTick: node.tick,
      });
  }
  if (node.coordinator.dispatched.size > 0) node.coordinator.state = "Flush";
}

/** Whether something can still become of an intent: what is prepared may be executed for a while. */
export function isOpen(
  { receipt, prepared }: IntentRecord,
  height: number,
): boolean {
  if (receipt === undefined) return true;
  return (
    receipt.type === "Prepared" &&
    prepared !== undefined &&
    prepared.bundle.validUntil > height
  );
}

/** An open intent goes on where its record says. */
export function restoreIntent(turn: Turn, record: IntentRecord): void {
  const { sender } = turn.node;
  const { permission, isDispatched, parked } = record;
  const transaction: SenderTransaction = {
    ...createTransaction(record.intent, record.sequence),
    ...pickSaved(record),
    // What was signed since the record was written is not in it.
    liveUntil: Math.max(record.liveUntil, sender.signedUntil),
  };
  sender.transactions.set(transaction.id, transaction);
  sender.nextSequence = Math.max(sender.nextSequence, record.sequence + 1);
  if (record.receipt?.type === "Prepared") {
    restorePrepared(turn, transaction);
    return;
  }
  sender.state = "Sending";
  if (record.isDoomed)
    push(sender.expiries, transaction.liveUntil, transaction.id);
  else if (permission !== undefined)
    push(sender.expiries, permission.validUntil, transaction.id);
  if (record.fulfilment !== undefined) {
    transaction.state = "Unproven";
    const dueTick = turn.node.tick;
    sender.unproven.set(transaction.id, { tries: 0, dueTick });
  } else if (parked !== undefined) {
    transaction.state = "Parked";
    sender.resting += 1;
    raise(turn, "TransactionRested");
  } else if (record.isDoomed) transaction.state = "Pending";
  else if (isDispatched) transaction.state = "Dispatched";
  else if (
    permission !== undefined &&
    permission.validUntil > turn.node.height
  ) {
    transaction.state = "Prepared";
    sendTo(turn, transaction, permission.coordinator);
    transaction.isAccepted = true;
  } else {
    transaction.state = "Pending";
    putOut(turn, transaction);
  }
}

/** Its user may not have got it before the node stopped. */
function restorePrepared(
  { node, effects }: Turn,
  transaction: SenderTransaction,
): void {
  const { id, prepared } = transaction;
  if (prepared === undefined) return;
  transaction.state = "PreparedForUser";
  node.sender.resting += 1;
  push(node.sender.expiries, prepared.bundle.validUntil, id);
  effects.push({ type: "PreparedForUser", id, ...prepared });
}

function pickSaved({
  retries,
  permission,
  permitted,
  fulfilment,
  isDispatched,
  reason,
  isDoomed,
  parked,
  prepared,
}: IntentRecord): Partial<SenderTransaction> {
  return {
    retries,
    permission,
    permitted,
    fulfilment,
    isDispatched,
    reason,
    isDoomed,
    parked,
    prepared,
  };
}
