import type { State, Step } from "./transition.ts";

/** Steps are never changed in place. */
const known = new WeakMap<Step, number>();

/** Characters of what a step carries: what a message gets longer by. */
export function lengthOf(step: Step): number {
  const length =
    known.get(step) ??
    step.payload.length +
      lengthOfStates(step.outputs) +
      lengthOfStates(step.infos) +
      step.calls.reduce((sum, { data }) => sum + data.length, 0);
  known.set(step, length);
  return length;
}

/** States that the ledger has to look at for a step: what is created takes the place of what is spent. */
export function statesOf({ inputs, reads, outputs }: Step): number {
  return reads.length + Math.max(inputs.length, outputs.length);
}

/** Characters of what states hold. */
export function lengthOfStates(states: readonly State[]): number {
  return states.reduce((sum, { content }) => sum + content.length, 0);
}
