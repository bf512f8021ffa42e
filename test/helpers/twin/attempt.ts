import type {
  IntentId,
  NodeName,
  Place,
  StateId,
} from "../../../src/protocol/ids.ts";
import { digestOf } from "../../../src/protocol/outline.ts";
import type {
  Bundle,
  Endorsement,
  PlacedState,
  Step,
} from "../../../src/protocol/transition.ts";
import {
  hashing,
  intentIdOf,
  sign,
  stateIdOf,
} from "../../../src/simulation/hashing.ts";
import type { LedgerState } from "../../../src/simulation/transition.ts";
import type { Random } from "../random.ts";
import { aStep, bundleOf, nodeNamed } from "../simulated-group.ts";

/** How a member signs: this bundle, another one, or not at all: somebody signs in its name. */
export type Signing = "right" | "other bundle" | "other signer";

/** A bundle on its way to a ledger, and who signed it. */
export interface Attempt {
  readonly bundle: Bundle;
  readonly signers: ReadonlyMap<NodeName, Signing>;
}

/** Everything that attempts may refer to. */
export interface Scene {
  readonly random: Random;
  readonly seed: number;
  readonly committee: readonly NodeName[];
  readonly threshold: number;
  readonly ledger: LedgerState;
  /** Where everything is, or was last, that ever came to be. */
  readonly places: Map<StateId, Place>;
  /** All that ever occurred, whether it came to be or not. */
  readonly states: Set<StateId>;
  readonly intents: Set<IntentId>;
  readonly attempts: Attempt[];
  next: number;
}

export const stranger: NodeName = nodeNamed("mallory");

/** The endorsements as the simulated ledger takes them. */
export function endorsementsOf({ bundle, signers }: Attempt): Endorsement[] {
  const { digest, validUntil } = bundle;
  const other = digestOf(hashing, { ...bundle, validUntil: validUntil + 1 });
  return [...signers].map(([endorser, signing]) => ({
    endorser,
    digest,
    signature:
      signing === "right"
        ? sign(endorser, digest)
        : signing === "other bundle"
          ? sign(endorser, other)
          : sign(stranger, digest),
  }));
}

/** The next attempt: half of them are good, and some are made again. */
export function drawAttempt(scene: Scene, block: number): Attempt {
  const { random, attempts } = scene;
  if (attempts.length > 0 && random.chance(0.06)) return random.pick(attempts);
  const mischief = random.chance(0.5) ? 0 : 0.12;
  const steps = drawSteps(scene, mischief);
  const validUntil = random.chance(mischief)
    ? random.pick([block - 1, 1])
    : random.pick([0, block, block + 1, block + 1_000]);
  const attempt = {
    bundle: bundleOf(steps, validUntil),
    signers: drawSigners(scene, mischief),
  };
  attempts.push(attempt);
  return attempt;
}

function drawSigners(
  { random, committee, threshold }: Scene,
  mischief: number,
): Map<NodeName, Signing> {
  const isTooFew = random.chance(mischief);
  const spare = committee.length - threshold;
  const count = isTooFew ? threshold - 1 : threshold + random.below(spare + 1);
  const signers = new Map<NodeName, Signing>(
    random
      .shuffle(committee)
      .slice(0, count)
      .map((name) => [name, "right"]),
  );
  if (random.chance(mischief)) signers.set(stranger, "right");
  if (random.chance(mischief))
    signers.set(
      random.pick(committee),
      random.pick(["other bundle", "other signer"]),
    );
  return signers;
}

function drawSteps(scene: Scene, mischief: number): Step[] {
  const { random } = scene;
  if (random.chance(mischief / 2)) return [];
  const bundle: BundleDraft = {
    fresh: [...scene.ledger.unspent.keys()],
    used: [],
    intents: [],
  };
  return Array.from({ length: random.pick([1, 1, 2, 3]) }, () =>
    drawStep(scene, bundle, mischief),
  );
}

/** What the steps of a bundle have to do with each other. */
interface BundleDraft {
  /** States that a good step may spend. */
  readonly fresh: StateId[];
  readonly used: StateId[];
  readonly intents: IntentId[];
}

function drawStep(scene: Scene, draft: BundleDraft, mischief: number): Step {
  const { random } = scene;
  const intentId = drawIntent(scene, draft, mischief);
  const reads = Array.from({ length: random.pick([0, 0, 1]) }, () =>
    drawState(scene, draft, mischief),
  );
  const inputs = Array.from({ length: random.pick([0, 1, 1, 2]) }, () => {
    const id = drawState(scene, draft, mischief);
    const at = id === undefined ? -1 : draft.fresh.indexOf(id);
    if (at !== -1) draft.fresh.splice(at, 1);
    return id;
  });
  const outputs = Array.from(
    { length: random.pick([0, 1, 1, 2]) },
    (_, index) => {
      const content = `content ${random.below(4)}`;
      return { id: stateIdOf({ intentId, index, content }), content };
    },
  );
  const isThere = (id: StateId | undefined): id is StateId => id !== undefined;
  const step = aStep({
    intentId,
    sender: random.pick(scene.committee),
    inputs: inputs.filter(isThere),
    reads: reads.filter(isThere),
    outputs,
  });
  draft.used.push(...step.inputs);
  draft.fresh.push(...outputs.map(({ id }) => id));
  for (const { id } of outputs) scene.states.add(id);
  const taken = [...step.inputs, ...step.reads];
  for (const id of taken) scene.states.add(id);
  return { ...step, found: drawPlaces(scene, taken, mischief) };
}

function drawIntent(
  scene: Scene,
  { intents }: BundleDraft,
  mischief: number,
): IntentId {
  const { random, seed } = scene;
  const known = random.chance(0.3) ? intents : [...scene.intents];
  const id =
    known.length > 0 && random.chance(mischief)
      ? random.pick(known)
      : intentIdOf(seed, scene.next++);
  intents.push(id);
  scene.intents.add(id);
  return id;
}

/** A state that can be spent now, or with some mischief one that cannot: spent, spent here, not there yet, never there. */
function drawState(
  { random, states, seed, ...scene }: Scene,
  { fresh, used }: BundleDraft,
  mischief: number,
): StateId | undefined {
  if (!random.chance(mischief))
    return fresh.length === 0 ? undefined : random.pick(fresh);
  const never = stateIdOf({
    intentId: intentIdOf(seed, scene.next),
    index: 9,
    content: "never",
  });
  return random.pick([...states, ...used, ...used, never]);
}

/** Where the states are, or with some mischief where others are. */
function drawPlaces(
  { random, places }: Scene,
  ids: readonly StateId[],
  mischief: number,
): PlacedState[] {
  return ids.flatMap((id) => {
    const isWrong = places.size > 0 && random.chance(mischief / 4);
    const place = isWrong ? random.pick([...places.values()]) : places.get(id);
    return place === undefined ? [] : [{ id, place }];
  });
}
