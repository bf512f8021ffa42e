import type { IntentId } from "../ids.ts";
import type { DispatchRecord } from "../records.ts";
import type { Coordinator, DispatchWork } from "./model.ts";
import type { CoordinatorTransaction } from "./transaction/model.ts";

// Whatever is looked up in more than one way is added and removed here, so that all the ways agree.

/** Adds a transaction. */
export function addTransaction(
  { transactions, bySender }: Coordinator,
  transaction: CoordinatorTransaction,
): void {
  const { id, sender } = transaction;
  transactions.set(id, transaction);
  const own = bySender.get(sender);
  if (own === undefined) bySender.set(sender, new Map([[id, transaction]]));
  else own.set(id, transaction);
}

/** Removes a transaction. */
export function removeTransaction(
  { transactions, bySender }: Coordinator,
  { id, sender }: CoordinatorTransaction,
): void {
  transactions.delete(id);
  const own = bySender.get(sender);
  own?.delete(id);
  if (own?.size === 0) bySender.delete(sender);
}

/** Adds a dispatched bundle, all of whose intents are open. */
export function addDispatch(
  { dispatched, dispatchOf }: Coordinator,
  record: DispatchRecord,
  dueTick: number,
): void {
  const open = new Set<IntentId>();
  const work: DispatchWork = { record, open, tries: 0, dueTick };
  dispatched.set(record.bundle.digest, work);
  for (const { intentId } of record.bundle.steps) {
    open.add(intentId);
    dispatchOf.set(intentId, work);
  }
}

/** Removes a dispatched bundle with whatever is open in it. */
export function removeDispatch(
  { dispatched, dispatchOf }: Coordinator,
  { record, open }: DispatchWork,
): void {
  dispatched.delete(record.bundle.digest);
  for (const id of open) dispatchOf.delete(id);
}

/** The fate of a dispatched intent is known. Returns the bundle it is in. */
export function closeDispatched(
  { dispatchOf }: Coordinator,
  id: IntentId,
): DispatchWork | undefined {
  const work = dispatchOf.get(id);
  work?.open.delete(id);
  dispatchOf.delete(id);
  return work;
}

/** Whether all of these are among those. */
export function isSubset(
  ids: ReadonlySet<IntentId>,
  among: ReadonlySet<IntentId>,
): boolean {
  for (const id of ids) if (!among.has(id)) return false;
  return true;
}
