import type { Hashing } from "../protocol/config.ts";
import type { Digest, IntentId, NodeName, StateId } from "../protocol/ids.ts";
import type { Message } from "../protocol/messages.ts";
import { digestOf } from "../protocol/outline.ts";
import type { SimulatedDomain } from "./domains/domain.ts";
import {
  claims,
  denials,
  falseView,
  heights,
  refusals,
  stages,
} from "./lies.ts";
import type { State } from "../protocol/transition.ts";
import type { Random } from "./random.ts";

// A member that lies. It can say anything in its own name, with everything it has seen, but forges no signature.

const memory = 256;

/** Keeps what a liar sees and makes lies of it. */
export class Adversary {
  readonly #hashing: Hashing;
  readonly #makeUp: SimulatedDomain["makeUp"];
  readonly #random: Random;
  readonly #seen: Message[] = [];
  readonly #ids: IntentId[] = [];
  readonly #states: StateId[] = [];
  #counter = 0;
  /** What others spend, as the last coordinator that asked for an assembly said. */
  #locked: readonly StateId[] = [];
  /** The last height that anybody said. */
  #height = 0;

  constructor(
    options: {
      readonly hashing: Hashing;
      readonly makeUp: SimulatedDomain["makeUp"];
    },
    random: Random,
  ) {
    this.#hashing = options.hashing;
    this.#makeUp = options.makeUp;
    this.#random = random;
  }

  /** A message that the liar sent or got. */
  observe(message: Message): void {
    const at = this.#counter++ % memory;
    this.#seen[at] = message;
    if ("height" in message) this.#height = message.height;
    if (message.type === "DelegationRequest")
      for (const { id } of message.intents)
        this.#ids[this.#counter++ % memory] = id;
    if (message.type === "AssembleRequest") this.#locked = message.view.spent;
    if (message.type !== "EndorsementRequest") return;
    for (const step of message.bundle.steps) {
      this.#ids[this.#counter % memory] = step.intentId;
      for (const id of step.inputs) this.#states[this.#counter++ % memory] = id;
      for (const { id } of step.outputs)
        this.#states[this.#counter++ % memory] = id;
    }
  }

  /** Something false, or something old, that a liar says. */
  lie(liar: NodeName): Message | undefined {
    if (this.#random.chance(0.4)) return this.#forge();
    const old = this.#pick(this.#seen);
    // What others coordinate, as if it were his.
    if (old?.type === "EndorsementRequest" && this.#random.chance(0.5))
      return { ...old, coordinator: liar };
    if (old === undefined || this.#random.chance(0.4)) return old;
    return this.mutate(old);
  }

  /** The message with something in it changed. */
  mutate(message: Message): Message {
    const random = this.#random;
    const height = random.pick(heights);
    switch (message.type) {
      case "DelegationRequest":
        return random.chance(0.5)
          ? { ...message, height }
          : {
              ...message,
              intents: message.intents.map((intent) => ({
                ...intent,
                payload: this.#makeUp.payload(),
                dependsOn: this.#someIds(),
              })),
            };
      case "DelegationAccepted":
      case "DelegationReturned":
        return { ...message, height, ids: this.#someIds() };
      case "DelegationRejected":
        return { ...message, height, reason: random.pick(refusals) };
      case "AssembleRequest": {
        const ids = this.#someIds();
        const states = Object.values(this.#states);
        return random.chance(0.5)
          ? { ...message, height, ids: [...message.ids, ...ids] }
          : {
              ...message,
              view: falseView(message.view, states, this.#makeUpStates(ids)),
            };
      }
      case "AssembleResponse":
        return {
          ...message,
          outcomes: message.outcomes.map((outcome) => {
            if (outcome.type !== "assembled") return outcome;
            const [input] = outcome.step.inputs;
            const isDouble = random.chance(0.3) && input !== undefined;
            const others = random.chance(0.5)
              ? this.#some(this.#locked)
              : this.#someStates();
            const inputs = isDouble ? [input, input] : others;
            return { ...outcome, step: { ...outcome.step, inputs } };
          }),
        };
      case "EndorsementRequest": {
        const { bundle } = message;
        const validUntil = random.pick(heights);
        const { steps, places } = bundle;
        const digest = digestOf(this.#hashing, { steps, places, validUntil });
        return random.chance(0.5)
          ? { ...message, bundle: { steps, places, validUntil, digest } }
          : {
              ...message,
              height,
              bundle: { ...bundle, steps: [...steps, ...steps] },
            };
      }
      case "Endorsement":
        return { ...message, signature: "forged" };
      case "Refusal":
        return {
          ...message,
          height,
          faults: this.#someIds().map((intentId) => ({
            intentId,
            detail: "because I say so",
          })),
        };
      case "DispatchPermissionRequest": {
        const { bundle } = message;
        const { places } = bundle;
        const steps = random.chance(0.5) ? bundle.steps : bundle.steps.slice(1);
        const validUntil = random.chance(0.5)
          ? bundle.validUntil - 1
          : random.pick(heights);
        // What endorsers signed, or will sign, under another name.
        const digest = random.chance(0.5)
          ? bundle.digest
          : this.#hashing.bundleDigest({ steps, places, validUntil });
        return { ...message, bundle: { steps, places, validUntil, digest } };
      }
      case "TransactionRefused":
        return { ...message, id: this.#someIds()[0] ?? message.id };
      case "Dispatched": {
        const { ids } = message;
        const digest = this.#oldDigest() ?? message.digest;
        return random.chance(0.5)
          ? { ...message, ids: this.#someIds() }
          : { type: "TransactionReverted", digest, ids, reason: "I say so" };
      }
      case "DispatchPermission":
      case "DispatchedAck":
      case "TransactionReverted":
      case "DependencyQuery":
      case "DependencyFailed":
        return { ...message, ids: this.#someIds() };
      case "TransactionPrepared": {
        const { bundle, endorsements } = message;
        const validUntil = random.pick(heights);
        const { steps, places } = bundle;
        const digest = digestOf(this.#hashing, { steps, places, validUntil });
        return random.chance(0.5)
          ? { ...message, endorsements: endorsements.slice(1) }
          : { ...message, bundle: { steps, places, validUntil, digest } };
      }
      case "FulfilmentQuery":
        return { ...message, id: this.#someIds()[0] ?? message.id };
      case "FulfilmentProof":
        return random.chance(0.5)
          ? { ...message, step: { ...message.step, signature: "forged" } }
          : { ...message, step: { ...message.step, payload: "another" } };
      case "TransactionPreparedAck":
        return message;
      case "DispatchDenial":
        return {
          ...message,
          denied: this.#someIds().map((id) => ({
            id,
            reason: random.pick(denials),
          })),
        };
      case "Heartbeat":
        return { ...message, height, state: random.pick(claims) };
      case "HandoverRequest":
        return { ...message, height };
      case "Handover":
        return { ...message, height, flush: this.#someIds() };
      case "HandoverAck":
      case "Suspicion":
      case "Leaving":
        return message;
    }
  }

  #forge(): Message | undefined {
    const random = this.#random;
    const height = random.pick(heights);
    const withKey = this.#pick(this.#seen.filter((seen) => "key" in seen));
    const key =
      withKey !== undefined && "key" in withKey ? withKey.key : undefined;
    const digest = this.#oldDigest();
    switch (random.below(10)) {
      case 0:
      case 1:
        return {
          type: "Heartbeat",
          state: random.pick(claims),
          boot: random.below(1_000),
          beat: random.below(1_000),
          height,
          transactions: this.#someIds().map((id) => ({
            id,
            stage: random.pick(stages),
          })),
          isComplete: random.chance(0.5),
        };
      case 2:
        return { type: "HandoverRequest", height };
      case 3:
        if (key === undefined) return undefined;
        return {
          type: "Handover",
          key,
          height,
          context: { created: [], spent: this.#someStates() },
          places: [],
          flush: this.#someIds(),
          digests: [],
          flushUntil: height,
        };
      case 4:
        if (digest === undefined) return undefined;
        return { type: "Dispatched", digest, ids: this.#someIds() };
      case 5: {
        const ids = this.#someIds();
        const [id] = ids;
        const reason = "because I say so";
        if (random.chance(0.5) && key !== undefined && id !== undefined)
          return { type: "TransactionRefused", key, id, reason };
        if (digest === undefined) return undefined;
        return { type: "TransactionReverted", digest, ids, reason };
      }
      case 6:
        return { type: "DelegationReturned", ids: this.#someIds(), height };
      case 7:
        return { type: "DependencyFailed", ids: this.#someIds() };
      case 8:
        if (key === undefined) return undefined;
        return {
          type: "DelegationRequest",
          key,
          height: random.chance(0.5) ? this.#height : height,
          intents: this.#someIds().map((id) => ({
            id,
            laneSalt: "",
            payload: this.#makeUp.payload(),
            dependsOn: [],
            touches: undefined,
            isPrepareOnly: false,
          })),
        };
      default:
        if (key === undefined) return undefined;
        return {
          type: "DelegationRejected",
          key,
          ids: this.#someIds(),
          height,
          reason: random.pick(refusals),
          active: undefined,
        };
    }
  }

  #oldDigest(): Digest | undefined {
    const old = this.#pick(this.#seen.filter((seen) => "digest" in seen));
    return old !== undefined && "digest" in old ? old.digest : undefined;
  }

  #makeUpStates(ids: readonly IntentId[]): State[] {
    return ids.flatMap((id) => this.#makeUp.state(id, this.#random) ?? []);
  }

  #someIds(): IntentId[] {
    return this.#some(this.#ids);
  }

  #someStates(): StateId[] {
    return this.#some(this.#states);
  }

  #some<Item>(items: readonly (Item | undefined)[]): Item[] {
    return Array.from({ length: this.#random.below(5) }, () =>
      this.#pick(items),
    ).filter((item) => item !== undefined);
  }

  #pick<Item>(items: readonly (Item | undefined)[]): Item | undefined {
    return items[this.#random.below(items.length)];
  }
}
