import type { SequencerConfig } from "../../src/protocol/config.ts";
import type { Effect } from "../../src/protocol/effects.ts";
import type { Event, LedgerFact } from "../../src/protocol/events.ts";
import type { Digest, IntentId, NodeName } from "../../src/protocol/ids.ts";
import type { Message } from "../../src/protocol/messages.ts";
import type { Receipt } from "../../src/protocol/records.ts";
import type { Bundle, Intent } from "../../src/protocol/transition.ts";
import { submission } from "./letters.ts";
import { LoneNode } from "./lone-node.ts";
import { aStep } from "./simulated-group.ts";

/** The part of a hostile member: real messages in its own name, whenever it likes. */
export interface Hostile {
  /** It gets a message. */
  hears?(from: NodeName, message: Message): void;
  /** A tick passes. */
  ticks?(tick: number): void;
}

/** Intents with this payload are assembled, and refused by every honest endorser. */
export const badPayload = "bad";

const blockTicks = 10;

/**
 * Honest nodes, one hostile member that the test plays, and a chain. A message takes a tick. Domains answer at once, and the
 * chain takes everything that has not happened yet.
 */
export class HostileGroup {
  readonly nodes = new Map<NodeName, LoneNode>();
  readonly receipts = new Map<IntentId, Receipt>();
  /** The ticks in which intents were confirmed. */
  readonly confirmedAt = new Map<IntentId, number>();
  hostile: Hostile = {};
  tick = 0;
  height = 0;
  readonly #name: NodeName;
  #letters: { from: NodeName; to: NodeName; message: Message }[] = [];
  readonly #submitted = new Map<Digest, Bundle>();

  constructor(
    config: Pick<SequencerConfig, "committee"> & Partial<SequencerConfig>,
    hostile: NodeName,
  ) {
    this.#name = hostile;
    for (const self of config.members ?? config.committee)
      if (self !== hostile)
        this.nodes.set(self, new LoneNode({ ...config, self }));
  }

  /** The hostile member says something. */
  say(to: NodeName, message: Message): void {
    this.#letters.push({ from: this.#name, to, message });
  }

  sayToAll(message: Message): void {
    for (const to of this.nodes.keys()) this.say(to, message);
  }

  submit(to: NodeName, intent: Intent): void {
    this.#tell(to, submission(intent));
  }

  run(ticks: number): this {
    for (let i = 0; i < ticks; i++) this.#pass();
    return this;
  }

  #pass(): void {
    this.tick += 1;
    const letters = this.#letters;
    this.#letters = [];
    for (const { from, to, message } of letters)
      if (to === this.#name) this.hostile.hears?.(from, message);
      else this.#tell(to, { type: "MessageReceived", from, message });
    this.hostile.ticks?.(this.tick);
    for (const name of this.nodes.keys()) this.#tell(name, { type: "Tick" });
    if (this.tick % blockTicks === 0) this.#mine();
  }

  #mine(): void {
    this.height += 1;
    const facts: LedgerFact[] = [];
    for (const { digest, steps, validUntil } of this.#submitted.values()) {
      const intents = steps.map(({ intentId }) => intentId);
      if (intents.some((id) => this.confirmedAt.has(id))) continue;
      if (validUntil < this.height) continue;
      for (const id of intents) this.confirmedAt.set(id, this.tick);
      facts.push({ intents, digest });
    }
    this.#submitted.clear();
    const { height } = this;
    for (const name of this.nodes.keys())
      this.#tell(name, { type: "BlockSeen", height, facts });
  }

  #tell(name: NodeName, event: Event): void {
    const { effects = [] } = this.nodes.get(name)?.tell(event) ?? {};
    for (const effect of effects) this.#perform(name, effect);
  }

  #perform(name: NodeName, effect: Effect): void {
    switch (effect.type) {
      case "Send":
        this.#letters.push({ from: name, ...effect });
        return;
      case "Assemble": {
        const { key, intents } = effect;
        const outcomes = intents.map(({ id, payload }) => {
          const signature = `${key} ${id}`;
          const step = { intentId: id, sender: name, payload, signature };
          return { type: "assembled", id, step: aStep(step) } as const;
        });
        this.#tell(name, { type: "AssemblyDone", key, outcomes });
        return;
      }
      case "Endorse":
        this.#endorse(name, effect.bundle);
        return;
      case "Submit": {
        const { bundle } = effect.dispatch;
        this.#submitted.set(bundle.digest, bundle);
        return;
      }
      case "Settled":
        this.receipts.set(effect.receipt.id, effect.receipt);
        return;
      case "Save":
      case "Erase":
      case "ShowStep":
      case "Accepted":
      case "Refused":
      case "PreparedForUser":
        return;
    }
  }

  #endorse(name: NodeName, { digest, steps }: Bundle): void {
    const detail = "against the rules";
    const faults = steps.flatMap(({ intentId, payload }) =>
      payload === badPayload ? [{ intentId, detail }] : [],
    );
    const signature = `signed by ${name}`;
    this.#tell(name, {
      type: "EndorsementDone",
      digest,
      outcome:
        faults.length === 0
          ? { type: "endorsed", signature }
          : { type: "refused", detail, faults },
    });
  }
}
