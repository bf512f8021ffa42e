import { changeCommittee, withoutPermission } from "./committee.ts";
import { seeFlushed } from "./coordinator/handover.ts";
import {
  ledgerFulfilled,
  ledgerReverted,
  submissionFailed,
} from "./coordinator/settlement.ts";
import { endorserSeesBlock } from "./endorser.ts";
import type { Event } from "./events.ts";
import { popUntil } from "./heap.ts";
import type { IntentId } from "./ids.ts";
import { forget } from "./recent.ts";
import type { IntentRecord, Receipt } from "./records.ts";
import { isOpen, restoreIntent } from "./restore.ts";
import { decide, startAssembly } from "./sender/assembly.ts";
import { seeFulfilled } from "./sender/fulfilment.ts";
import { noteFailure } from "./sender/progress.ts";
import { tell } from "./sender/tell.ts";
import { reconsider, waitAgain } from "./sender/waiting.ts";
import { signedReturned } from "./signed.ts";
import { tellCoordinator, tellSender } from "./tell.ts";
import { raise, type Turn } from "./turn.ts";

/** A block: what it confirms, what can no longer happen, and what waited for it. */
export function seeBlock(
  turn: Turn,
  {
    height,
    facts,
    contradicted = [],
    committee,
  }: Extract<Event, { readonly type: "BlockSeen" }>,
): void {
  const { node } = turn;
  if (height <= node.height) return;
  node.height = height;
  raise(turn, "LedgerMoved");
  for (const record of contradicted) resurrect(turn, record);
  for (const fact of facts) {
    const fulfilment = { digest: fact.digest, block: height };
    for (const id of fact.intents) seeFulfilled(turn, id, fulfilment);
    ledgerFulfilled(turn, fact);
    seeFlushed(turn, fact);
  }
  if (committee !== undefined) changeCommittee(turn, committee);
  for (const id of new Set(popUntil(node.sender.expiries, height)))
    expire(turn, id);
  for (const [digest, { record }] of node.coordinator.dispatched) {
    if (record.bundle.validUntil >= height) continue;
    submissionFailed(turn, {
      type: "SubmissionFailed",
      digest,
      failure: "expired",
      reason: "expired",
      isRetryable: true,
    });
  }
  endorserSeesBlock(turn, facts);
  if (facts.length > 0) reconsider(turn);
  startAssembly(turn);
  decide(turn);
  tellCoordinator(turn, { type: "NewBlock" });
}

/** The ledger fulfils an intent that ended here as reverted: it is open again, so that its receipt is corrected. */
function resurrect(turn: Turn, record: IntentRecord): void {
  if (turn.node.sender.transactions.has(record.intent.id)) return;
  restoreIntent(turn, { ...record, receipt: undefined });
}

/** A permission for it can no longer be used, nothing signed for it can happen, or what its user got cannot be executed. */
function expire(turn: Turn, id: IntentId): void {
  const transaction = turn.node.sender.transactions.get(id);
  if (transaction === undefined) return;
  const { state, permission } = transaction;
  if (
    state === "Dispatched" ||
    state === "Sequenced" ||
    state === "Submitted"
  ) {
    // It may have been permitted again since.
    if ((permission?.validUntil ?? 0) > turn.node.height) return;
    tell(turn, transaction, {
      type: "ConfirmedReverted",
      reason: "expired",
    });
    if (permission !== undefined)
      noteFailure(turn, transaction, {
        by: permission.coordinator,
        isExpired: true,
      });
  } else if (
    tell(turn, transaction, { type: "PermissionExpired" }) &&
    transaction.state === "Lapsed"
  ) {
    const why = "was prepared and not executed";
    tellSender(turn, { type: "TransactionsFailed", failed: [{ id, why }] });
  }
}

/** A reorganisation: what was confirmed in the lost blocks goes on as if it had never been. */
export function revertBlocks(
  turn: Turn,
  {
    height,
    facts,
    reopened,
    committee,
  }: Extract<Event, { readonly type: "BlocksReverted" }>,
): void {
  const { node } = turn;
  node.height = height;
  raise(turn, "LedgerMoved");
  signedReturned(
    node.endorser.signed,
    facts.map(({ digest }) => digest),
  );
  if (committee !== undefined) changeCommittee(turn, committee);
  for (const { intents } of facts) {
    for (const id of intents) {
      forget(node.endorser.fulfilled, id);
      forget(node.coordinator.ended, id);
    }
  }
  ledgerReverted(turn, facts);
  for (const record of reopened) {
    if (node.sender.transactions.has(record.intent.id)) continue;
    const open = { ...record, receipt: receiptBefore(record) };
    const before = committee === undefined ? open : withoutPermission(open);
    if (isOpen(before, height)) restoreIntent(turn, before);
    turn.effects.push({ type: "Save", record: before });
  }
  for (const id of node.sender.unproven.keys()) {
    const transaction = node.sender.transactions.get(id);
    if ((transaction?.fulfilment?.block ?? 0) > height && transaction)
      tell(turn, transaction, { type: "FulfilmentUndone" });
  }
  waitAgain(turn, new Set(facts.flatMap(({ intents }) => intents)));
}

/** What was known of an intent before the ledger had it: that its user could execute it, or nothing. */
function receiptBefore({
  intent: { id },
  prepared,
}: IntentRecord): Receipt | undefined {
  return prepared === undefined
    ? undefined
    : { type: "Prepared", id, digest: prepared.bundle.digest };
}
