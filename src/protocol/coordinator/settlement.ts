import type { Event, LedgerFact } from "../events.ts";
import { outlineOf } from "../outline.ts";
import type { DispatchRecord } from "../records.ts";
import { bySender, idsOf, send, type Turn } from "../turn.ts";
import { addToContext, confirmInContext } from "./context.ts";
import {
  addDispatch,
  addTransaction,
  closeDispatched,
  removeDispatch,
} from "./indexes.ts";
import type { DispatchWork } from "./model.ts";
import { rememberPlaces } from "./places.ts";
import { fall } from "./transaction/actions.ts";
import { tellTransaction } from "./tell.ts";
import type { CoordinatorTransaction } from "./transaction/model.ts";

/** Intents happened on the ledger, by this coordinator's doing or another's. */
export function ledgerFulfilled(
  turn: Turn,
  { intents, digest }: LedgerFact,
): void {
  const { coordinator } = turn.node;
  const ours = coordinator.dispatched.get(digest);
  const touched = new Set(ours === undefined ? [] : [ours]);
  for (const id of intents) {
    const transaction = coordinator.transactions.get(id);
    if (transaction !== undefined) {
      // Somebody else's version of it happened: what was built on ours never will.
      if (ours !== undefined) confirmInContext(coordinator, transaction);
      else fall(transaction, undefined, turn);
      tellTransaction(turn, transaction, { type: "Confirmed" });
    }
    const work = closeDispatched(coordinator, id);
    if (work !== undefined) touched.add(work);
  }
  for (const work of touched) {
    if (work === ours) close(turn, work);
    // One of its intents is fulfilled elsewhere: as a whole it can never happen.
    else
      failDispatch(
        turn,
        work,
        "an intent in the same bundle was fulfilled elsewhere",
      );
  }
}

function close({ node, effects }: Turn, work: DispatchWork): void {
  removeDispatch(node.coordinator, work);
  const { digest } = work.record.bundle;
  effects.push({ type: "Erase", key: `dispatch:${digest}` });
}

/** The submitter gave a bundle up, or its time is over. The senders decide what happens next. */
export function submissionFailed(
  turn: Turn,
  { digest, reason }: Extract<Event, { readonly type: "SubmissionFailed" }>,
): void {
  const work = turn.node.coordinator.dispatched.get(digest);
  if (work !== undefined) failDispatch(turn, work, reason);
}

function failDispatch(turn: Turn, work: DispatchWork, reason: string): void {
  const { coordinator } = turn.node;
  close(turn, work);
  const failed: CoordinatorTransaction[] = [];
  for (const id of work.open) {
    const transaction = coordinator.transactions.get(id);
    if (
      transaction !== undefined &&
      tellTransaction(turn, transaction, { type: "ConfirmedReverted" })
    )
      failed.push(transaction);
  }
  for (const [sender, transactions] of bySender(
    failed,
    (transaction) => transaction.sender,
  )) {
    send(turn, sender, {
      type: "TransactionReverted",
      digest: work.record.bundle.digest,
      ids: idsOf(transactions),
      reason,
    });
  }
}

/** A reorganisation took transitions back. Ours that were closed are not submitted again: their senders see it too. */
export function ledgerReverted(turn: Turn, facts: readonly LedgerFact[]): void {
  const { coordinator } = turn.node;
  for (const { intents } of facts) {
    for (const id of intents) {
      const transaction = coordinator.transactions.get(id);
      if (transaction?.state === "Confirmed")
        tellTransaction(turn, transaction, { type: "FulfilmentUndone" });
    }
  }
}

/** After a restart: what was dispatched goes on being submitted and watched. */
export function restoreDispatch(turn: Turn, record: DispatchRecord): void {
  const { coordinator, config, tick } = turn.node;
  for (const step of record.bundle.steps) {
    const transaction: CoordinatorTransaction = {
      state: "Dispatched",
      id: step.intentId,
      sender: step.sender,
      intent: {
        id: step.intentId,
        laneSalt: step.laneSalt,
        payload: "",
        dependsOn: [],
        touches: undefined,
        isPrepareOnly: false,
      },
      order: coordinator.received++,
      request: undefined,
      step,
      builtOn: undefined,
      usedBy: undefined,
      waitsFor: new Set(),
      follows: undefined,
      failures: 0,
      companyMax: Infinity,
      notBefore: 0,
    };
    addTransaction(coordinator, transaction);
    addToContext(coordinator, transaction, step);
  }
  const outline = outlineOf(config.hashing, record.bundle);
  rememberPlaces(coordinator, config.hashing.placesOf(outline));
  addDispatch(coordinator, record, tick);
  turn.effects.push({ type: "Submit", dispatch: record });
}
