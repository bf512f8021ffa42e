import type { Hashing } from "../../protocol/config.ts";
import type { IntentId, NodeName } from "../../protocol/ids.ts";
import type {
  AssembleOutcome,
  Message,
  MessageOf,
} from "../../protocol/messages.ts";
import { digestOf } from "../../protocol/outline.ts";
import type {
  Bundle,
  SpeculativeView,
  Step,
} from "../../protocol/transition.ts";
import type { SimulatedDomain } from "../domains/domain.ts";
import { sign } from "../hashing.ts";
import { claims, denials, refusals, stages } from "../lies.ts";
import type { Random } from "../random.ts";
import {
  edgeDeadlines,
  edgeHeights,
  type HeightRules,
  pickOther,
} from "./heights.ts";
import type { Knowledge } from "./knowledge.ts";

/** What it takes to alter a message. */
export interface Means {
  /** Who sends it. */
  readonly self: NodeName;
  readonly rules: HeightRules & { readonly hashing: Hashing };
  readonly knowledge: Knowledge;
  readonly random: Random;
  readonly makeUp: SimulatedDomain["makeUp"];
  /** Of the liar's node. */
  readonly height: () => number;
}

/** The message with exactly one thing in it wrong. Whatever follows from that, a digest say, is made to fit. */
export function alter(message: Message, means: Means): Message {
  const { random, knowledge } = means;
  const pick = <Kind extends Message>(
    ...ways: (() => Kind | undefined)[]
  ): Message => random.pick(ways)() ?? message;
  const key = (): Pick<MessageOf<"Refusal">, "key"> | undefined => {
    const other = knowledge.keys.pick(random);
    return other === undefined ? undefined : { key: other };
  };
  const height = (): number => edgeHeight(means);
  const ids = (list: readonly IntentId[]): IntentId[] => otherIds(list, means);
  switch (message.type) {
    case "DelegationRequest":
      return pick(
        () => ({ ...message, height: height() }),
        () => ({ ...message, intents: otherIntents(message, means) }),
        () => ({
          ...message,
          intents: message.intents.map((intent) => ({
            ...intent,
            isPrepareOnly: !intent.isPrepareOnly,
          })),
        }),
      );
    case "DelegationAccepted":
      return pick(
        () => ({ ...message, height: height() }),
        () => ({ ...message, ids: ids(message.ids) }),
        () => ({ ...message, ...key() }),
      );
    case "DelegationRejected":
      return pick(
        () => ({ ...message, height: height() }),
        () => ({ ...message, reason: random.pick(refusals) }),
        () => ({ ...message, active: means.self }),
      );
    case "DelegationReturned":
      return pick(
        () => ({ ...message, height: height() }),
        () => ({ ...message, ids: ids(message.ids) }),
      );
    case "AssembleRequest":
      return pick(
        () => ({ ...message, height: height() }),
        () => ({ ...message, ids: ids(message.ids) }),
        () => ({ ...message, view: otherView(message.view, means) }),
      );
    case "AssembleResponse":
      return pick(
        () => ({ ...message, outcomes: message.outcomes.slice(1) }),
        () => ({ ...message, outcomes: otherOutcomes(message, means) }),
        () => ({ ...message, ...key() }),
      );
    case "EndorsementRequest":
      return alterRequest(message, means);
    case "Endorsement": {
      const digest = knowledge.otherDigest(random, message.digest);
      return pick(
        () => ({ ...message, ...key() }),
        () =>
          digest === undefined
            ? undefined
            : { ...message, digest, signature: sign(means.self, digest) },
      );
    }
    case "Refusal":
      return pick(
        () => ({ ...message, height: height() }),
        () => ({
          ...message,
          reason: message.reason === "invalid" ? "not-coordinator" : "invalid",
        }),
        () => ({
          ...message,
          intentId: knowledge.foreignId(random, means.self),
        }),
      );
    case "DispatchPermissionRequest":
      return alterPermissionRequest(message, means);
    case "DispatchPermission":
      // A change of mind: whoever is in the same bundle is asked about another one.
      if (random.chance(0.3)) {
        const { key: asked, digest } = message;
        const denied = message.ids.map((id) => ({
          id,
          reason: random.pick(denials),
        }));
        return { type: "DispatchDenial", key: asked, digest, denied };
      }
      return pick(
        () => ({ ...message, ids: ids(message.ids) }),
        () => ({
          ...message,
          digest:
            knowledge.otherDigest(random, message.digest) ?? message.digest,
        }),
      );
    case "Dispatched":
    case "TransactionReverted":
    case "DispatchedAck":
      return pick(
        () => ({ ...message, ids: ids(message.ids) }),
        () => ({
          ...message,
          digest:
            knowledge.otherDigest(random, message.digest) ?? message.digest,
        }),
      );
    case "DispatchDenial":
      return pick(
        () => ({
          ...message,
          denied: ids(message.denied.map(({ id }) => id)).map((id) => ({
            id,
            reason: random.pick(denials),
          })),
        }),
        () => ({ ...message, ...key() }),
      );
    case "TransactionPrepared":
      return alterPrepared(message, means);
    case "TransactionPreparedAck":
      return pick(
        () => ({ ...message, ...key() }),
        () => ({
          ...message,
          digest:
            knowledge.otherDigest(random, message.digest) ?? message.digest,
        }),
      );
    case "TransactionRefused":
      return pick(
        () => ({ ...message, ...key() }),
        () => ({
          ...message,
          id: knowledge.foreignId(random, means.self) ?? message.id,
        }),
      );
    case "DependencyQuery":
    case "DependencyFailed":
      return { ...message, ids: ids(message.ids) };
    case "FulfilmentQuery":
      return pick(
        () => ({
          ...message,
          id: knowledge.foreignId(random, means.self) ?? message.id,
        }),
        () => ({
          ...message,
          digest:
            knowledge.otherDigest(random, message.digest) ?? message.digest,
        }),
      );
    case "FulfilmentProof":
      return pick(
        () => ({
          ...message,
          step: knowledge.steps.pick(random) ?? message.step,
        }),
        () => ({
          ...message,
          step: signed({ ...message.step, sender: means.self }, means),
        }),
        () => ({
          ...message,
          bundle: {
            ...message.bundle,
            steps: message.bundle.steps.slice(1),
          },
        }),
      );
    case "Heartbeat":
      return alterHeartbeat(message, means);
    case "HandoverRequest":
      return { ...message, height: height() };
    case "Handover":
      return alterHandover(message, means);
    case "HandoverAck":
      return { ...message, ...key() };
  }
}

function edgeHeight({ random, rules, height }: Means): number {
  const truth = height();
  return pickOther(random, edgeHeights(truth, rules), truth);
}

/** One id less, or one of somebody else more. */
function otherIds(
  ids: readonly IntentId[],
  { random, knowledge, self }: Means,
): IntentId[] {
  const foreign = knowledge.foreignId(random, self);
  if (foreign === undefined || random.chance(0.3)) return ids.slice(1);
  return random.chance(0.5) ? [...ids, foreign] : [foreign];
}

/** One intent under the id of somebody else's, or made to wait for it. */
function otherIntents(
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

function otherView(
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
function otherOutcomes(
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

function someoneElse({ knowledge, random, self }: Means): NodeName {
  return (
    knowledge.steps.find(random, ({ sender }) => sender !== self)?.sender ??
    self
  );
}

/** Signed by the liar, whoever is said to be the sender. */
function signed(step: Step, { rules, self }: Means): Step {
  return { ...step, signature: sign(self, rules.hashing.stepHash(step)) };
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

function edgeDeadline(validUntil: number, means: Means): number {
  const edges = edgeDeadlines(means.height(), validUntil, means.rules);
  return pickOther(means.random, edges, validUntil);
}

function alterRequest(
  message: MessageOf<"EndorsementRequest">,
  means: Means,
): Message {
  const { random, knowledge, rules } = means;
  const { bundle } = message;
  const { hashing } = rules;
  switch (random.below(6)) {
    case 0:
      return { ...message, height: edgeHeight(means) };
    case 1: {
      const digest = knowledge.otherDigest(random, bundle.digest);
      return digest === undefined
        ? message
        : { ...message, bundle: { ...bundle, digest } };
    }
    case 4: {
      // Its own step, signed as it should be, under the id of somebody else's intent.
      const [first, ...rest] = bundle.steps;
      if (first === undefined) return message;
      const stolen = signed({ ...first, sender: means.self }, means);
      const taken = { ...bundle, steps: [stolen, ...rest] };
      const sealed = withDeadline(taken, bundle.validUntil, hashing);
      return { ...message, bundle: sealed };
    }
    case 2: {
      // The digest of what the bundle was before its last step was taken out.
      const steps = bundle.steps.slice(0, -1);
      return { ...message, bundle: { ...bundle, steps } };
    }
    case 3:
      return { ...message, coordinator: someoneElse(means) };
    default: {
      const validUntil = edgeDeadline(bundle.validUntil, means);
      return { ...message, bundle: withDeadline(bundle, validUntil, hashing) };
    }
  }
}

function alterPermissionRequest(
  message: MessageOf<"DispatchPermissionRequest">,
  means: Means,
): Message {
  const { random, knowledge, rules } = means;
  const { bundle } = message;
  switch (random.below(5)) {
    case 0:
      return { ...message, ids: otherIds(message.ids, means) };
    case 1: {
      const digest = knowledge.otherDigest(random, bundle.digest);
      return digest === undefined
        ? message
        : { ...message, bundle: { ...bundle, digest } };
    }
    default: {
      const validUntil = edgeDeadline(bundle.validUntil, means);
      const { steps, places } = bundle;
      const unsealed = { steps, places, validUntil };
      const digest = rules.hashing.bundleDigest(unsealed);
      return { ...message, bundle: { ...unsealed, digest } };
    }
  }
}

function alterPrepared(
  message: MessageOf<"TransactionPrepared">,
  means: Means,
): Message {
  const { bundle, endorsements } = message;
  switch (means.random.below(3)) {
    case 0:
      return { ...message, endorsements: endorsements.slice(1) };
    case 1:
      return {
        ...message,
        endorsements: [...endorsements, ...endorsements.slice(0, 1)],
      };
    default: {
      const validUntil = edgeDeadline(bundle.validUntil, means);
      const other = withDeadline(bundle, validUntil, means.rules.hashing);
      return { ...message, bundle: other };
    }
  }
}

function alterHeartbeat(
  message: MessageOf<"Heartbeat">,
  means: Means,
): Message {
  const { random, knowledge, self } = means;
  const { transactions, boot, beat } = message;
  const stage = random.pick(stages);
  const id = knowledge.foreignId(random, self);
  switch (random.below(7)) {
    case 0:
      return { ...message, state: random.pick(claims) };
    case 1:
      return { ...message, boot: Math.max(0, boot + random.pick([-1, 1])) };
    case 2:
      return { ...message, beat: Math.max(0, beat + random.pick([-2, -1, 1])) };
    case 3:
      return { ...message, height: edgeHeight(means) };
    case 4:
      return { ...message, transactions: transactions.slice(1) };
    case 5:
      return id === undefined
        ? message
        : { ...message, transactions: [...transactions, { id, stage }] };
    default:
      return { ...message, isComplete: !message.isComplete };
  }
}

function alterHandover(message: MessageOf<"Handover">, means: Means): Message {
  const { random, knowledge } = means;
  const { context, flush, places, digests, flushUntil } = message;
  switch (random.below(6)) {
    case 0:
      return { ...message, height: edgeHeight(means) };
    case 1:
      return { ...message, flushUntil: edgeDeadline(flushUntil, means) };
    case 2: {
      const [digest] = digests;
      const other = digest && knowledge.otherDigest(random, digest);
      return { ...message, digests: other === undefined ? [] : [other] };
    }
    case 3:
      return { ...message, flush: otherIds(flush, means) };
    case 4:
      return { ...message, context: otherView(context, means) };
    default:
      return { ...message, places: places.slice(1) };
  }
}
