import type { Hashing, SequencerConfig } from "./config.ts";
import type {
  Bundle,
  Outline,
  Step,
  StepOutline,
  UnsealedBundle,
  UnsealedOutline,
} from "./transition.ts";

/** The epochs whose bundles a node can read. */
type Epochs = Pick<SequencerConfig, "hashing" | "earlierHashings">;

/** Steps are never changed in place, so the same list has the same outline in the same epoch. */
const known = new WeakMap<
  readonly Step[],
  {
    readonly stepHash: Hashing["stepHash"];
    readonly steps: readonly StepOutline[];
  }
>();

/** What everybody may see of a bundle. Its digest, if it has one, is passed on as it is. */
export function outlineOf<Form extends UnsealedBundle>(
  hashing: Pick<Hashing, "stepHash">,
  bundle: Form,
): Omit<Form, "steps"> & Pick<UnsealedOutline, "steps"> {
  const { stepHash } = hashing;
  const before = known.get(bundle.steps);
  if (before?.stepHash === stepHash) return { ...bundle, steps: before.steps };
  const steps = bundle.steps.map(outlineOfStep);
  known.set(bundle.steps, { stepHash, steps });
  return { ...bundle, steps };

  function outlineOfStep(step: Step): StepOutline {
    const { intentId, inputs, reads, outputs, calls } = step;
    return {
      intentId,
      inputs,
      reads,
      outputs: outputs.map(({ id }) => ({ id })),
      calls,
      hash: stepHash(step),
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

/** The arithmetic of the epoch in which an outline has its digest; undefined if this node knows of none. */
export function hashingFor(
  { hashing, earlierHashings = [] }: Epochs,
  outline: Outline,
): Hashing | undefined {
  return [hashing, ...earlierHashings].find(
    ({ bundleDigest }) => bundleDigest(outline) === outline.digest,
  );
}

/** The outline of a bundle in the epoch in which it has its digest; undefined if this node knows of none. */
export function outlineInItsEpoch(
  { hashing, earlierHashings = [] }: Epochs,
  bundle: Bundle,
): Outline | undefined {
  for (const one of [hashing, ...earlierHashings]) {
    const outline = outlineOf(one, bundle);
    if (one.bundleDigest(outline) === bundle.digest) return outline;
  }
  return undefined;
}
