import type { IntentId, StateId } from "./ids.ts";
import type { StepOutline } from "./transition.ts";

/** What steps do to the ledger together: states that they create and spend among themselves never appear. */
export interface NetTransition<Output = { readonly id: StateId }> {
  readonly intents: readonly IntentId[];
  readonly inputs: readonly StateId[];
  readonly reads: readonly StateId[];
  readonly outputs: readonly Output[];
  /** States that are spent twice: the ledger refuses a transition with any. */
  readonly conflicts: readonly StateId[];
}

/** The net effect of steps in order. */
export function netOf<Output extends { readonly id: StateId }>(
  steps: readonly (Pick<StepOutline, "intentId" | "inputs" | "reads"> & {
    readonly outputs: readonly Output[];
  })[],
): NetTransition<Output> {
  const created = new Map<StateId, Output>();
  const everCreated = new Set<StateId>();
  const inputs = new Set<StateId>();
  const reads = new Set<StateId>();
  const conflicts: StateId[] = [];
  for (const step of steps) {
    for (const id of step.reads) if (!everCreated.has(id)) reads.add(id);
    for (const id of step.inputs) {
      if (created.delete(id)) continue;
      if (everCreated.has(id) || inputs.has(id)) conflicts.push(id);
      else inputs.add(id);
    }
    for (const state of step.outputs) {
      created.set(state.id, state);
      everCreated.add(state.id);
    }
  }
  return {
    intents: steps.map(({ intentId }) => intentId),
    inputs: [...inputs],
    reads: [...reads],
    outputs: [...created.values()],
    conflicts,
  };
}
