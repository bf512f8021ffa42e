import type { Effect } from "../protocol/effects.ts";
import type { Event } from "../protocol/events.ts";
import type { Digest, IntentId } from "../protocol/ids.ts";
import type { Message } from "../protocol/messages.ts";

/** A hash over everything that happens. Two runs of one seed must agree on it. */
export class TraceHash {
  #one = 0x811c9dc5 | 0;
  #two = 0x1b873593 | 0;

  number(value: number): void {
    this.#one = Math.imul(this.#one ^ value, 0x01000193);
    this.#two = Math.imul(this.#two ^ (this.#one >>> 15), 0x85ebca6b) + value;
  }

  /** Mixes the beginning of a text: enough, because ids differ there. */
  text(text: string): void {
    const length = Math.min(text.length, 14);
    for (let i = 0; i < length; i++) this.number(text.charCodeAt(i));
    this.number(text.length);
  }

  event(event: Event): void {
    this.text(event.type);
    switch (event.type) {
      case "MessageReceived":
        this.text(event.from);
        this.message(event.message);
        return;
      case "BlockSeen":
      case "BlocksReverted":
        this.number(event.height);
        this.number(event.facts.length);
        return;
      case "AssemblyDone":
        for (const { type, id } of event.outcomes) {
          this.text(type);
          this.text(id);
        }
        return;
      case "EndorsementDone":
        this.text(event.digest);
        this.text(event.outcome.type);
        return;
      case "SubmissionFailed":
      case "SubmissionProgressed":
        this.text(event.digest);
        return;
      case "IntentSubmitted":
        this.text(event.intent.id);
        return;
      case "IntentResumed":
        this.text(event.id);
        return;
      case "Tick":
      case "Delayed":
      case "Rested":
      case "DrainChanged":
      case "StatesLearnt":
        return;
    }
  }

  effect(effect: Effect): void {
    this.text(effect.type);
    if (effect.type === "Send") {
      this.text(effect.to);
      this.message(effect.message);
    } else if (effect.type === "Save") this.text(effect.record.kind);
  }

  message(message: Message): void {
    this.text(message.type);
    if ("key" in message) this.text(message.key);
    if ("digest" in message) this.text(message.digest);
    if ("ids" in message) for (const id of message.ids) this.text(id);
    if ("height" in message) this.number(message.height);
  }

  toString(): string {
    const hex = (word: number): string =>
      (word >>> 0).toString(16).padStart(8, "0");
    return hex(this.#one) + hex(this.#two);
  }
}

/** Gives intents short names, in the order in which they appear. */
export class Names {
  readonly #names = new Map<string, string>();

  of(id: IntentId): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const name = `i${this.#names.size}`;
    this.#names.set(id, name);
    return name;
  }

  some(ids: readonly IntentId[]): string {
    return ids.map((id) => this.of(id)).join(",");
  }

  digest(digest: Digest): string {
    return digest.slice(2, 8);
  }
}

/** One message for people. */
export function describeMessage(message: Message, names: Names): string {
  const { type } = message;
  switch (message.type) {
    case "DelegationRequest":
      return `${type} ${names.some(message.intents.map(({ id }) => id))} block=${message.height}`;
    case "DelegationAccepted":
    case "DelegationReturned":
      return `${type} ${names.some(message.ids)} block=${message.height}`;
    case "DelegationRejected":
      return `${type} ${names.some(message.ids)} block=${message.height} reason=${message.reason}${message.active === undefined ? "" : ` active=${message.active}`}`;
    case "AssembleRequest":
      return `${type} ${names.some(message.ids)} block=${message.height} created=${message.view.created.length} spent=${message.view.spent.length}`;
    case "AssembleResponse":
      return `${type} ${message.outcomes.map((outcome) => `${names.of(outcome.id)}:${outcome.type}`).join(",")}`;
    case "EndorsementRequest":
    case "DispatchPermissionRequest": {
      const { steps, digest, validUntil } = message.bundle;
      return `${type} ${names.digest(digest)} ${names.some(steps.map(({ intentId }) => intentId))} until=${validUntil}`;
    }
    case "Endorsement":
      return `${type} ${names.digest(message.digest)}`;
    case "Refusal":
      return `${type} ${names.digest(message.digest)} reason=${message.reason} "${message.detail}"${message.faults.length === 0 ? "" : ` step=${message.faults.map(({ intentId }) => names.of(intentId)).join(",")}`} block=${message.height}`;
    case "DispatchPermission":
    case "Dispatched":
    case "DispatchedAck":
      return `${type} ${names.digest(message.digest)} ${names.some(message.ids)}`;
    case "DispatchDenial":
      return `${type} ${names.digest(message.digest)} ${message.denied.map(({ id, reason }) => `${names.of(id)}:${reason}`).join(",")}`;
    case "TransactionPrepared": {
      const { steps, digest, validUntil } = message.bundle;
      return `${type} ${names.digest(digest)} ${names.some(steps.map(({ intentId }) => intentId))} until=${validUntil} endorsements=${message.endorsements.length}`;
    }
    case "TransactionPreparedAck":
      return `${type} ${names.digest(message.digest)}`;
    case "FulfilmentQuery":
      return `${type} ${names.of(message.id)} ${names.digest(message.digest)}`;
    case "FulfilmentProof":
      return `${type} ${names.of(message.step.intentId)} ${names.digest(message.bundle.digest)}`;
    case "DependencyQuery":
    case "DependencyFailed":
      return `${type} ${names.some(message.ids)}`;
    case "TransactionReverted":
      return `${type} ${names.digest(message.digest)} ${names.some(message.ids)} "${message.reason}"`;
    case "TransactionRefused":
      return `${type} ${names.of(message.id)} "${message.reason}"`;
    case "Heartbeat":
      return `${type} ${message.state} boot=${message.boot} block=${message.height} ${message.transactions.map(({ id, stage }) => `${names.of(id)}:${stage}`).join(",")}${message.isComplete ? "" : " …"}`;
    case "Suspicion":
      return `${type} of=${message.of}`;
    case "Leaving":
      return `${type}${message.isOver ? " is over" : ""}`;
    case "HandoverRequest":
      return `${type} block=${message.height}`;
    case "Handover":
      return `${type} flush=${names.some(message.flush)} created=${message.context.created.length} spent=${message.context.spent.length}`;
    case "HandoverAck":
      return type;
  }
}

/** One event for people; undefined for those that would drown the rest. */
export function describeEvent(event: Event, names: Names): string | undefined {
  const { type } = event;
  switch (event.type) {
    case "Tick":
    case "Delayed":
    case "Rested":
    case "StatesLearnt":
      return undefined;
    case "MessageReceived":
      return `← ${event.from} ${describeMessage(event.message, names)}`;
    case "BlockSeen":
    case "BlocksReverted":
      return `${type} ${event.height} ${event.facts.map(({ intents, digest }) => `${names.digest(digest)}[${names.some(intents)}]`).join(" ")}`;
    case "AssemblyDone":
      return `${type} ${event.outcomes.map((outcome) => `${names.of(outcome.id)}:${outcome.type}`).join(",")}`;
    case "EndorsementDone":
      return `${type} ${names.digest(event.digest)} ${event.outcome.type}${event.outcome.type === "refused" ? ` "${event.outcome.detail}"` : ""}`;
    case "SubmissionFailed":
      return `${type} ${names.digest(event.digest)} ${event.failure} ${event.reason}`;
    case "SubmissionProgressed":
      return `${type} ${names.digest(event.digest)} ${event.progress}`;
    case "IntentSubmitted":
      return `${type} ${names.of(event.intent.id)} "${event.intent.payload}" after=${names.some(event.intent.dependsOn)}`;
    case "IntentResumed":
      return `${type} ${names.of(event.id)}`;
    case "DrainChanged":
      return `${type} ${event.isDraining}`;
  }
}

/** One effect for people. */
export function describeEffect(effect: Effect, names: Names): string {
  const { type } = effect;
  switch (effect.type) {
    case "Send":
      return `→ ${effect.to} ${describeMessage(effect.message, names)}`;
    case "Save": {
      const { record } = effect;
      if (record.kind === "dispatch")
        return `${type} dispatch ${names.digest(record.bundle.digest)} ${names.some(record.bundle.steps.map(({ intentId }) => intentId))} acknowledged=${record.acknowledged.join(",")}`;
      if (record.kind === "handover")
        return `${type} handover to ${record.to} flush=${names.some(record.flush)}`;
      if (record.kind === "horizon")
        return `${type} horizon ${record.signedUntil}`;
      if (record.kind === "endorsed")
        return `${type} endorsed ${names.digest(record.digest)} of ${record.coordinator} until=${record.validUntil}`;
      const { permission, receipt } = record;
      return `${type} intent ${names.of(record.intent.id)} retries=${record.retries}${permission === undefined ? "" : ` permission=${permission.coordinator}/${names.digest(permission.digest)}/${permission.validUntil}`}${record.isDispatched ? " dispatched" : ""}${record.isDoomed ? " doomed" : ""}${record.parked === undefined ? "" : " parked"}${receipt === undefined ? "" : ` ${receipt.type}${receipt.type === "Reverted" ? ` "${receipt.reason}"` : ""}`}`;
    }
    case "Erase":
      return `${type} ${effect.key.slice(0, 17)}`;
    case "Assemble":
      return `${type} ${names.some(effect.intents.map(({ id }) => id))}`;
    case "Endorse":
      return `${type} ${names.digest(effect.bundle.digest)} for ${effect.coordinator}`;
    case "ShowStep":
      return `${type} ${names.of(effect.id)} ${names.digest(effect.digest)} to ${effect.to}`;
    case "Submit":
      return `${type} ${names.digest(effect.dispatch.bundle.digest)}`;
    case "Accepted":
      return `${type} ${names.of(effect.id)}`;
    case "Refused":
      return `${type} ${names.of(effect.id)} ${effect.reason}`;
    case "Settled":
      return `${type} ${names.of(effect.receipt.id)} ${effect.receipt.type}`;
    case "PreparedForUser":
      return `${type} ${names.of(effect.id)} ${names.digest(effect.bundle.digest)}`;
  }
}
