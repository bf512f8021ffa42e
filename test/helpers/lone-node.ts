import type { SequencerConfig } from "../../src/protocol/config.ts";
import type { Effect } from "../../src/protocol/effects.ts";
import type { Event } from "../../src/protocol/events.ts";
import {
  parseGroupAddress,
  parseRequestKey,
  type NodeName,
  type RequestKey,
} from "../../src/protocol/ids.ts";
import { limits } from "../../src/protocol/limits.ts";
import type { Tracer } from "../../src/protocol/machine.ts";
import type { Message, MessageOf } from "../../src/protocol/messages.ts";
import { recordKey, type SavedRecord } from "../../src/protocol/records.ts";
import { rankCoordinators } from "../../src/protocol/selection.ts";
import {
  createSequencer,
  handle,
  type Restored,
  type Sequencer,
} from "../../src/protocol/sequencer.ts";
import { hashing } from "../../src/simulation/hashing.ts";
import { nodeNamed } from "./simulated-group.ts";

const address = parseGroupAddress(`0x${"ab".repeat(20)}`);
if (address === undefined) throw new Error("no address");
const contract = address;

const committee = ["alice", "bob", "carol"].map(nodeNamed);

/** The committee in the order in which it is preferred in the first range. */
export const ranked: readonly NodeName[] = rankCoordinators({
  committee,
  contract,
  range: 0,
});

/** The node with this rank in the first range, 0 being the preferred one. */
export function rank(at: number): NodeName {
  const node = ranked[at];
  if (node === undefined) throw new Error(`nobody has rank ${at}`);
  return node;
}

/** A key of a request. */
export function keyOf(text: string): RequestKey {
  const key = parseRequestKey(text);
  if (key === undefined) throw new Error(`${text} is no key`);
  return key;
}

const defaults = {
  contract,
  committee,
  threshold: 1,
  mode: "elected",
  pool: [],
  policy: "sticky",
  rangeSizeBlocks: 1_000,
  heartbeatTicks: 5,
  heartbeatGrace: 3,
  closingGrace: 2,
  requestTicks: 2,
  requestTicksMax: 16,
  retryTicks: 2,
  stateTicks: 40,
  suspicionTicks: 50,
  validForBlocks: 20,
  retriesMax: 5,
  bundleMax: limits.bundle,
  mayKnow: () => true,
  hashing,
} as const satisfies Partial<SequencerConfig>;

/** One node by itself: the test is everybody else. */
export class LoneNode {
  readonly #config: SequencerConfig;
  readonly #trace: Tracer<{ readonly state: string }> | undefined;
  /** What the last events made it do, the newest last. */
  effects: readonly Effect[] = [];
  readonly records = new Map<string, SavedRecord>();
  sequencer: Sequencer;

  constructor(
    config: Partial<SequencerConfig> & { readonly self: NodeName },
    restored: Partial<Restored> = {},
    trace?: Tracer<{ readonly state: string }>,
  ) {
    const { committee = defaults.committee } = config;
    this.#config = {
      ...defaults,
      members: committee,
      boot: 1,
      isChecked: true,
      ...config,
    };
    this.#trace = trace;
    this.sequencer = this.#start(restored);
  }

  #start(restored: Partial<Restored>): Sequencer {
    const { sequencer, effects } = createSequencer(
      this.#config,
      {
        height: 0,
        records: [...this.records.values()],
        fulfilled: [],
        ...restored,
      },
      this.#trace,
    );
    this.#keep(effects);
    return sequencer;
  }

  #keep(effects: readonly Effect[]): void {
    this.effects = effects;
    for (const effect of effects) {
      if (effect.type === "Save")
        this.records.set(recordKey(effect.record), effect.record);
      if (effect.type === "Erase") this.records.delete(effect.key);
    }
  }

  /** Something happens. */
  tell(event: Event): this {
    this.#keep(handle(this.sequencer, event, this.#trace));
    return this;
  }

  /** A message comes. */
  hear(from: NodeName, message: Message): this {
    return this.tell({ type: "MessageReceived", from, message });
  }

  /** Time passes; the effects of all ticks are kept. */
  wait(ticks: number): this {
    const all: Effect[] = [];
    for (let i = 0; i < ticks; i++)
      all.push(...this.tell({ type: "Tick" }).effects);
    this.effects = all;
    return this;
  }

  restart(restored: Partial<Restored> = {}): this {
    this.sequencer = this.#start(restored);
    return this;
  }

  /** Messages of this type among the last effects. */
  sent<Type extends Message["type"]>(type: Type): MessageOf<Type>[] {
    return this.effects.flatMap((effect) =>
      effect.type === "Send" && effect.message.type === type
        ? [effect.message as MessageOf<Type>]
        : [],
    );
  }
}

/** Its operator is about to stop it, and a tick passes. */
export function drained(node: LoneNode): LoneNode {
  return node.tell({ type: "DrainChanged", isDraining: true }).wait(1);
}
