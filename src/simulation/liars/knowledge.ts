import {
  type Digest,
  type IntentId,
  type NodeName,
  parseRequestKey,
  type RequestKey,
  type StateId,
} from "../../protocol/ids.ts";
import type { Message } from "../../protocol/messages.ts";
import { outlineOf } from "../../protocol/outline.ts";
import type { Hashing } from "../../protocol/config.ts";
import type {
  Bundle,
  Intent,
  Outline,
  Step,
} from "../../protocol/transition.ts";
import type { Random } from "../random.ts";

/** A bundle on its way, as a liar has just seen it. */
export interface Subject {
  readonly key: RequestKey;
  readonly coordinator: NodeName;
  readonly outline: Outline;
  /** With its contents, if the liar was asked to endorse it. */
  readonly bundle: Bundle | undefined;
  /** Whose intents are in it, as far as the liar knows. */
  readonly owners: ReadonlyMap<NodeName, readonly IntentId[]>;
}

/** Things that were seen lately, the oldest ones replaced first. */
class Lately<Item> {
  readonly #items: Item[] = [];
  readonly #size: number;
  #next = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(item: Item): void {
    this.#items[this.#next++ % this.#size] = item;
  }

  pick(random: Random): Item | undefined {
    return this.#items[random.below(this.#items.length)];
  }

  first(isWanted: (item: Item) => boolean): Item | undefined {
    return this.#items.find(isWanted);
  }

  /** One that is as wanted, if there is any. */
  find(random: Random, isWanted: (item: Item) => boolean): Item | undefined {
    const from = random.below(this.#items.length);
    const turned = [...this.#items.slice(from), ...this.#items.slice(0, from)];
    return turned.find(isWanted);
  }
}

const memory = 64;

/** What a liar has seen of the exchanges around it: enough to get one thing wrong and everything else right. */
export class Knowledge {
  readonly subjects = new Lately<Subject>(memory);
  readonly steps = new Lately<Step>(memory);
  readonly intents = new Lately<Intent & { readonly sender: NodeName }>(memory);
  readonly keys = new Lately<RequestKey>(memory);
  readonly states = new Lately<StateId>(memory);
  /** What others spend, as the last coordinator that asked for an assembly said. */
  readonly locked = new Lately<StateId>(memory);
  readonly #hashing: Hashing;

  constructor(hashing: Hashing) {
    this.#hashing = hashing;
  }

  /** A digest of another bundle than this one. */
  otherDigest(random: Random, digest: Digest): Digest | undefined {
    return this.subjects.find(
      random,
      ({ outline }) => outline.digest !== digest,
    )?.outline.digest;
  }

  /** The bundle with that digest. */
  subjectOf(digest: Digest): Subject | undefined {
    return this.subjects.first(({ outline }) => outline.digest === digest);
  }

  /** An intent of somebody else. */
  foreignId(random: Random, owner: NodeName): IntentId | undefined {
    return (
      this.steps.find(random, ({ sender }) => sender !== owner)?.intentId ??
      this.intents.find(random, ({ sender }) => sender !== owner)?.id
    );
  }

  /** A key that nobody else has used. */
  newKey(self: NodeName, count: number): RequestKey {
    const key = parseRequestKey(`${self}:flood:${count}`);
    if (key === undefined) throw new Error(`${self} makes no key.`);
    return key;
  }

  /** A message that the liar's node sent or got. */
  see(from: NodeName, message: Message): Subject | undefined {
    if ("key" in message) this.keys.add(message.key);
    switch (message.type) {
      case "DelegationRequest":
        for (const intent of message.intents)
          this.intents.add({ ...intent, sender: from });
        return undefined;
      case "AssembleRequest":
        for (const id of message.view.spent) this.locked.add(id);
        return undefined;
      case "AssembleResponse":
        for (const outcome of message.outcomes)
          if (outcome.type === "assembled") this.steps.add(outcome.step);
        return undefined;
      case "EndorsementRequest": {
        const { key, bundle } = message;
        for (const step of bundle.steps) {
          this.steps.add(step);
          for (const id of step.inputs) this.states.add(id);
          for (const { id } of step.outputs) this.states.add(id);
        }
        return this.#note({
          key,
          coordinator: from,
          outline: outlineOf(this.#hashing, bundle),
          bundle,
          owners: ownersOf(bundle.steps),
        });
      }
      case "DispatchPermissionRequest": {
        const { key, bundle } = message;
        return (
          this.subjectOf(bundle.digest) ??
          this.#note({
            key,
            coordinator: from,
            outline: bundle,
            bundle: undefined,
            owners: new Map(),
          })
        );
      }
      case "DelegationAccepted":
      case "DelegationRejected":
      case "DelegationReturned":
      case "Endorsement":
      case "Refusal":
      case "DispatchPermission":
      case "DispatchDenial":
      case "Dispatched":
      case "DispatchedAck":
      case "TransactionPrepared":
      case "TransactionPreparedAck":
      case "TransactionReverted":
      case "TransactionRefused":
      case "DependencyQuery":
      case "DependencyFailed":
      case "FulfilmentQuery":
      case "FulfilmentProof":
      case "Suspicion":
      case "Leaving":
      case "Heartbeat":
      case "HandoverRequest":
      case "Handover":
      case "HandoverAck":
        return undefined;
    }
  }

  #note(subject: Subject): Subject {
    this.subjects.add(subject);
    return subject;
  }
}

/** Whose intents are in these steps. */
export function ownersOf(steps: readonly Step[]): Map<NodeName, IntentId[]> {
  const owners = new Map<NodeName, IntentId[]>();
  for (const { sender, intentId } of steps) {
    const ids = owners.get(sender);
    if (ids === undefined) owners.set(sender, [intentId]);
    else ids.push(intentId);
  }
  return owners;
}
