import type { Hashing } from "../../protocol/config.ts";
import type { IntentId, NodeName } from "../../protocol/ids.ts";
import type { AssembleOutcome, MessageOf } from "../../protocol/messages.ts";
import { digestOf } from "../../protocol/outline.ts";
import type {
  Bundle,
  SpeculativeView,
  Step,
} from "../../protocol/transition.ts";
import type { SimulatedDomain } from "../domains/domain.ts";
import type { Random } from "../random.ts";
import {
  edgeDeadlines,
  edgeHeights,
  type HeightRules,
  pickOther,
} from "./heights.ts";
import type { Knowledge } from "./knowledge.ts";
import type { LiarKeys } from "./liar.ts";

// What a liar puts into a field instead of what belongs there.

/** What it takes to alter a message. */
export interface Means {
  /** Who sends it. */
  readonly self: NodeName;
  readonly keys: LiarKeys;
  readonly rules: HeightRules & { readonly hashing: Hashing };
  readonly knowledge: Knowledge;
  readonly random: Random;
  readonly makeUp: SimulatedDomain["makeUp"];
  /** Of the liar's node. */
  readonly height: () => number;
}

export function edgeHeight({ random, rules, height }: Means): number {
  const truth = height();
  return pickOther(random, edgeHeights(truth, rules), truth);
}

/** One id less, or one of somebody else more. */
export function otherIds(
  ids: readonly IntentId[],
  { random, knowledge, self }: Means,
): IntentId[] {
  const foreign = knowledge.foreignId(random, self);
  if (foreign === undefined || random.chance(0.3)) return ids.slice(1);
  return random.chance(0.5) ? [...ids, foreign] : [foreign];
}

/** One step less, or one of somebody else, is at fault. */
export function otherFaults(
  faults: MessageOf<"Refusal">["faults"],
  { random, knowledge, self }: Means,
): MessageOf<"Refusal">["faults"] {
  const intentId = knowledge.foreignId(random, self);
  return intentId === undefined || random.chance(0.3)
    ? faults.slice(1)
    : [...faults, { intentId, detail: "because I say so" }];
}

/** One intent under the id of somebody else's, or made to wait for it. */
export function otherIntents(
  { intents }: MessageOf<"DelegationRequest">,
  { random, knowledge, self }: Means,
): MessageOf<"DelegationRequest">["intents"] {
  const foreign = knowledge.foreignId(random, self);
  const [first, ...rest] = intents;
  if (foreign === undefined || first === undefined) return rest;
  return random.chance(0.5)
    ? [{ ...first, id: foreign }, ...rest]
    : [{ ...first, dependsOn: [foreign] }, ...rest];
}

export function otherView(
  { created, spent }: SpeculativeView,
  { random, knowledge, makeUp, self }: Means,
): SpeculativeView {
  const state = knowledge.states.pick(random);
  const id = knowledge.foreignId(random, self);
  const madeUp = id === undefined ? undefined : makeUp.state(id, random);
  if (random.chance(0.3)) return { created: created.slice(1), spent };
  if (madeUp !== undefined && random.chance(0.5))
    return { created: [...created, madeUp], spent };
  return { created, spent: state === undefined ? [] : [...spent, state] };
}

/** One step replaced by one that belongs somewhere else, or that uses what is locked. */
export function otherOutcomes(
  { outcomes }: MessageOf<"AssembleResponse">,
  means: Means,
): AssembleOutcome[] {
  const { random, knowledge } = means;
  let isDone = false;
  return outcomes.map((outcome) => {
    if (isDone || outcome.type !== "assembled") return outcome;
    isDone = true;
    const { step } = outcome;
    const { steps, locked } = knowledge;
    const taken = locked.pick(random);
    const another = random.pick([
      () =>
        steps.find(
          random,
          (one) => one.sender === step.sender && one.intentId !== step.intentId,
        ),
      () => steps.find(random, (one) => one.sender !== step.sender),
      () => signed({ ...step, sender: someoneElse(means) }, means),
      () => signed({ ...step, intentId: otherId(step, means) }, means),
      () => taken && signed({ ...step, reads: [...step.reads, taken] }, means),
      () =>
        taken && signed({ ...step, inputs: [...step.inputs, taken] }, means),
    ])();
    return another === undefined ? outcome : { ...outcome, step: another };
  });
}

/** Another intent of the same sender, or of another one. */
function otherId(
  { intentId, sender }: Step,
  { knowledge, random }: Means,
): IntentId {
  return (
    knowledge.steps.find(random, (one) => one.intentId !== intentId)
      ?.intentId ??
    knowledge.foreignId(random, sender) ??
    intentId
  );
}

export function someoneElse({ knowledge, random, self }: Means): NodeName {
  return (
    knowledge.steps.find(random, ({ sender }) => sender !== self)?.sender ??
    self
  );
}

/** Signed by the liar, whoever is said to be the sender. */
export function signed(step: Step, { rules, keys }: Means): Step {
  return { ...step, signature: keys.signStep(rules.hashing.stepHash(step)) };
}

/** The bundle with another last block, and the digest that goes with it. */
export function withDeadline(
  { steps, places }: Bundle,
  validUntil: number,
  hashing: Hashing,
): Bundle {
  const unsealed = { steps, places, validUntil };
  return { ...unsealed, digest: digestOf(hashing, unsealed) };
}

export function edgeDeadline(validUntil: number, means: Means): number {
  const edges = edgeDeadlines(means.height(), validUntil, means.rules);
  return pickOther(means.random, edges, validUntil);
}
