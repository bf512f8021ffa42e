import type { IntentId, NodeName, StateId } from "../ids.ts";
import type { SpeculativeView, State, Step } from "../transition.ts";
import type { Sequencer } from "../turn.ts";
import type { Coordinator } from "./model.ts";
import type { CoordinatorTransaction } from "./transaction/model.ts";

/** Whether a step spends or reads something that another transaction in flight spends. */
export function conflicts(
  { spent }: Coordinator,
  { inputs, reads }: Step,
): boolean {
  return (
    inputs.some((id) => spent.has(id)) || reads.some((id) => spent.has(id))
  );
}

/** Notes whose outputs in flight a step uses: when they fall, it falls. */
export function linkToProducers(
  { created, transactions }: Coordinator,
  transaction: CoordinatorTransaction,
  step: Step,
): void {
  for (const id of [...step.inputs, ...step.reads]) {
    const producer = transactions.get(created.get(id)?.by ?? transaction.id);
    if (producer === undefined || producer === transaction) continue;
    (producer.usedBy ??= new Set()).add(transaction.id);
    (transaction.builtOn ??= new Set()).add(producer.id);
  }
}

function putCreated(
  coordinator: Coordinator,
  state: State,
  by: IntentId | undefined,
): void {
  dropCreated(coordinator, state.id);
  coordinator.created.set(state.id, { state, by });
  coordinator.createdLength += state.content.length;
}

function dropCreated(coordinator: Coordinator, id: StateId): void {
  const { content } = coordinator.created.get(id)?.state ?? {};
  if (content === undefined) return;
  coordinator.created.delete(id);
  coordinator.createdLength -= content.length;
}

/** Adds what a step does to the speculative view. */
export function addToContext(
  coordinator: Coordinator,
  transaction: CoordinatorTransaction,
  step: Step,
): void {
  const { spent } = coordinator;
  linkToProducers(coordinator, transaction, step);
  for (const id of step.inputs) {
    dropCreated(coordinator, id);
    spent.set(id, transaction.id);
  }
  for (const state of step.outputs)
    putCreated(coordinator, state, transaction.id);
}

/** Takes it out again: its outputs are gone, and its inputs can be spent by others. */
export function removeFromContext(
  coordinator: Coordinator,
  transaction: CoordinatorTransaction,
): void {
  const { imported, spent, transactions } = coordinator;
  const { step, id } = transaction;
  if (step === undefined) return;
  if (transaction.intent.isPrepareOnly) {
    unlink(coordinator, transaction);
    return;
  }
  for (const output of step.outputs) {
    dropCreated(coordinator, output.id);
    markMissing(coordinator, output.id);
  }
  for (const input of step.inputs) {
    if (spent.get(input) === id) spent.delete(input);
    const state = imported.get(input);
    if (state !== undefined) putCreated(coordinator, state, undefined);
  }
  for (const producerId of transaction.builtOn ?? []) {
    const producer = transactions.get(producerId);
    producer?.usedBy?.delete(id);
    for (const state of producer?.step?.outputs ?? []) {
      if (step.inputs.includes(state.id))
        putCreated(coordinator, state, producerId);
    }
  }
  unlink(coordinator, transaction);
}

/** Assemblies that were asked for before must not be built on it. */
function markMissing({ assemblies }: Coordinator, id: StateId): void {
  for (const { missing } of assemblies.values()) missing.add(id);
}

/** What was taken over and is not on the ledger may never be. */
export function distrustImportedContext(coordinator: Coordinator): void {
  for (const id of coordinator.imported.keys()) markMissing(coordinator, id);
}

/** The step is on the ledger: what it created and spent is no longer speculative. */
export function confirmInContext(
  coordinator: Coordinator,
  transaction: CoordinatorTransaction,
): void {
  const { created, spent } = coordinator;
  const { step, id } = transaction;
  if (step === undefined) return;
  for (const output of step.outputs)
    if (created.get(output.id)?.by === id) dropCreated(coordinator, output.id);
  for (const input of step.inputs)
    if (spent.get(input) === id) spent.delete(input);
  unlink(coordinator, transaction);
}

function unlink(
  { transactions, assembled, toPrepare }: Coordinator,
  transaction: CoordinatorTransaction,
): void {
  const { id } = transaction;
  for (const other of transaction.usedBy ?? [])
    transactions.get(other)?.builtOn?.delete(id);
  for (const other of transaction.builtOn ?? [])
    transactions.get(other)?.usedBy?.delete(id);
  transaction.usedBy = undefined;
  transaction.builtOn = undefined;
  transaction.step = undefined;
  assembled.delete(id);
  toPrepare.delete(id);
}

/** What in-flight transitions will have done. */
export function viewOf({ created, spent }: Coordinator): SpeculativeView {
  const states = [];
  for (const { state } of created.values()) states.push(state);
  return { created: states, spent: [...spent.keys()] };
}

/** As much of it as a member may see. Who endorses sees everything anyway. */
export function viewFor(
  { coordinator, config }: Sequencer,
  member: NodeName,
): SpeculativeView {
  const view = viewOf(coordinator);
  if (config.committee.includes(member)) return view;
  const created = view.created.filter((state) => config.mayKnow(member, state));
  return { created, spent: view.spent };
}

/** Takes over what the previous coordinator's dispatched transitions will have done. Unverified: the ledger decides. */
export function importContext(
  coordinator: Coordinator,
  view: SpeculativeView,
): void {
  const { imported, spent } = coordinator;
  for (const state of view.created) {
    imported.set(state.id, state);
    // The same context may come again when steps are built on it already.
    if (!spent.has(state.id)) putCreated(coordinator, state, undefined);
  }
  for (const id of view.spent) if (!spent.has(id)) spent.set(id, undefined);
}

/** Forgets what was taken over: it is on the ledger, or never will be. */
export function dropImportedContext(coordinator: Coordinator): void {
  const { created, imported, spent } = coordinator;
  imported.clear();
  for (const [id, { by }] of created)
    if (by === undefined) dropCreated(coordinator, id);
  for (const [id, by] of spent) if (by === undefined) spent.delete(id);
}
