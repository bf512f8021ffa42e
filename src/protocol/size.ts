import type { Bundle, State, Step } from "./transition.ts";

/** Characters of what a step carries: what a message gets longer by. */
export function lengthOf({ payload, outputs, infos, calls }: Step): number {
  let length = payload.length + lengthOfStates(outputs) + lengthOfStates(infos);
  for (const { data } of calls) length += data.length;
  return length;
}

/** Characters that an id, a place, and what is around them have at the most. */
const NAMED_LENGTH = 200;
/** Characters of a step besides what it carries and names: its sender, its salt, its signature. */
const STEP_LENGTH = 1_200;

/** Characters of a bundle, or more. */
export function lengthOfBundle({
  steps,
  places,
}: Pick<Bundle, "steps" | "places">): number {
  let length = STEP_LENGTH * steps.length;
  let named = places.length;
  for (const step of steps) {
    length += lengthOf(step);
    named +=
      step.inputs.length +
      step.reads.length +
      step.outputs.length +
      step.infos.length +
      step.calls.length +
      step.found.length;
  }
  return length + NAMED_LENGTH * named;
}

/** States that the ledger has to look at for a step: what is created takes the place of what is spent. */
export function statesOf({ inputs, reads, outputs }: Step): number {
  return reads.length + Math.max(inputs.length, outputs.length);
}

/** Characters of what states hold. */
export function lengthOfStates(states: readonly State[]): number {
  let length = 0;
  for (const { content } of states) length += content.length;
  return length;
}
