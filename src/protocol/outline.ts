import type { Hashing } from "./config.ts";
import type {
  Outline,
  Step,
  StepOutline,
  UnsealedBundle,
  UnsealedOutline,
} from "./transition.ts";

/** Steps are never changed in place, so the same list has the same outline. */
const known = new WeakMap<readonly Step[], readonly StepOutline[]>();

/** What everybody may see of a bundle. Its digest, if it has one, is passed on as it is. */
export function outlineOf<Form extends UnsealedBundle>(
  hashing: Pick<Hashing, "stepHash">,
  bundle: Form,
): Omit<Form, "steps"> & Pick<UnsealedOutline, "steps"> {
  const steps = known.get(bundle.steps) ?? bundle.steps.map(outlineOfStep);
  known.set(bundle.steps, steps);
  return { ...bundle, steps };

  function outlineOfStep(step: Step): StepOutline {
    const { intentId, inputs, reads, outputs, calls } = step;
    return {
      intentId,
      inputs,
      reads,
      outputs: outputs.map(({ id }) => ({ id })),
      calls,
      hash: hashing.stepHash(step),
    };
  }
}

/** What endorsers sign for a bundle, whatever it says itself. */
export function digestOf(
  hashing: Hashing,
  bundle: UnsealedBundle,
): Outline["digest"] {
  return hashing.bundleDigest(outlineOf(hashing, bundle));
}
