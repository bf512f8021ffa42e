import type { SequencerConfig } from "../protocol/config.ts";
import type { Effect } from "../protocol/effects.ts";
import type { Event } from "../protocol/events.ts";
import type { IntentId, NodeName } from "../protocol/ids.ts";
import type { Tracer } from "../protocol/machine.ts";
import { recall } from "../protocol/recent.ts";
import type { SavedRecord } from "../protocol/records.ts";
import { isOpen } from "../protocol/restore.ts";
import { createSequencer, type Sequencer } from "../protocol/sequencer.ts";
import type { Block, Chain } from "./chain.ts";
import { ChainView } from "./chain-view.ts";
import { type CommitFate, Disk, drawFate, intentOn } from "./disk.ts";
import type { Book } from "./domains/domain.ts";
import type { FaultCounter, FaultPlan } from "./faults.ts";
import { Life, type Turn } from "./life.ts";
import type { Queue } from "./queue.ts";
import type { Random } from "./random.ts";

/** Told of all that a node does, in order. */
export interface Witness {
  readonly started: (node: SimulatedNode, effects: readonly Effect[]) => void;
  readonly crashed: (node: SimulatedNode) => void;
  /** A turn is about to be taken. */
  readonly turning: (node: SimulatedNode, event: Event) => void;
  /** A turn was taken; nothing of it is durable yet. */
  readonly turned: (
    node: SimulatedNode,
    event: Event,
    effects: readonly Effect[],
  ) => void;
  /** A tick or a block has passed of which a group at rest is not told: its copy was. */
  readonly rested: (node: SimulatedNode) => void;
  /** About to be committed. */
  readonly committing: (
    node: SimulatedNode,
    effects: readonly Effect[],
    /** That goes with them, even if another one has taken its place meanwhile. */
    block: Block | undefined,
  ) => void;
  readonly performing: (node: SimulatedNode, effect: Effect) => void;
}

export interface NodePorts {
  readonly queue: Queue;
  readonly random: Random;
  readonly faults: FaultCounter;
  readonly plan: () => FaultPlan;
  /** The fate of this commit, if it is the one at which a node shall crash. */
  readonly crash?: (() => CommitFate | undefined) | undefined;
  readonly chain: Chain;
  /** What it knows of the ledger. */
  readonly book: Book;
  readonly witness: Witness;
  /** Told of every step that its machines take. */
  readonly trace?: Tracer<{ readonly state: string }> | undefined;
  readonly perform: (node: SimulatedNode, effect: Effect) => void;
}

/** What the rest of the simulator needs to know of a node. */
export interface SimulatedNode {
  readonly name: NodeName;
  readonly index: number;
  readonly disk: Disk;
  /** What is durable of the turn that wants an effect: later turns of the same batch may have replaced some of it. */
  readonly recordsAt: (effect: Effect) => ReadonlyMap<string, SavedRecord>;
  readonly holdings: Pick<Book, "has" | "isSpent" | "isFulfilled">;
  readonly height: number;
  readonly boot: number;
  readonly isUp: boolean;
}

/** A node over all its starts: the tables in its memory that survive crashes, and its view of the simulated chain. */
export class Node implements SimulatedNode {
  readonly name: NodeName;
  readonly index: number;
  readonly disk = new Disk();
  boot = 0;
  readonly #config: SequencerConfig;
  readonly #tickMs: number;
  readonly #ports: NodePorts;
  readonly #view: ChainView;
  #life: Life | undefined;
  readonly #recordsAt = new WeakMap<Effect, ReadonlyMap<string, SavedRecord>>();
  #isDead = false;

  constructor(
    options: {
      readonly index: number;
      readonly config: SequencerConfig;
      readonly tickMs: number;
    },
    ports: NodePorts,
  ) {
    this.index = options.index;
    this.name = options.config.self;
    this.#config = options.config;
    this.#tickMs = options.tickMs;
    this.#ports = ports;
    this.#view = new ChainView(ports);
  }

  get height(): number {
    return this.#view.height;
  }

  get holdings(): Book {
    return this.#ports.book;
  }

  recordsAt(effect: Effect): ReadonlyMap<string, SavedRecord> {
    return this.#recordsAt.get(effect) ?? this.disk.records;
  }

  get isUp(): boolean {
    return this.#life !== undefined;
  }

  get sequencer(): Sequencer | undefined {
    return this.#life?.sequencer;
  }

  /** Whether it is down for good. */
  get isDead(): boolean {
    return this.#isDead;
  }

  /** Whether an event would have to wait. */
  get isWaiting(): boolean {
    return this.#life?.isWaiting === true;
  }

  /** It stops and never comes back. */
  die(): void {
    this.#isDead = true;
    this.crash();
  }

  start(): void {
    if (this.isUp || this.#isDead) return;
    const { random, witness, trace } = this.#ports;
    this.boot += 1;
    const { sequencer, effects } = createSequencer(
      { ...this.#config, boot: this.boot },
      {
        height: this.height,
        fulfilled: this.#fulfilledDependencies(),
        records: random.shuffle([...this.disk.records.values()]),
      },
      trace,
    );
    this.#life = this.#begin(sequencer);
    witness.started(this, effects);
    this.#life.start(effects);
  }

  #begin(sequencer: Sequencer): Life {
    const { queue, random, faults, plan, witness, trace } = this.#ports;
    return new Life(
      { sequencer, height: this.height, tickMs: this.#tickMs },
      {
        queue,
        trace,
        drawFate: (hasRecords) => {
          const planned = hasRecords ? this.#ports.crash?.() : undefined;
          return planned ?? drawFate(plan(), random, faults);
        },
        complete: (event) => this.#complete(event),
        answer: (event) => this.#answer(event),
        turning: (event) => {
          witness.turning(this, event);
        },
        turned: (event, effects) => {
          witness.turned(this, event, effects);
        },
        rested: () => {
          witness.rested(this);
        },
        commit: (turn, isLast) => {
          this.#commit(turn, isLast);
        },
        perform: (effect) => {
          witness.performing(this, effect);
          this.#ports.perform(this, effect);
        },
        crash: () => {
          this.crash();
        },
      },
    );
  }

  #fulfilledDependencies(): IntentId[] {
    const ids: IntentId[] = [];
    for (const record of this.disk.records.values()) {
      if (record.kind !== "intent" || record.receipt !== undefined) continue;
      for (const id of record.intent.dependsOn)
        if (this.holdings.isFulfilled(id)) ids.push(id);
    }
    return ids;
  }

  /** Memory is gone, and so is all that was not done yet. */
  crash(): void {
    const life = this.#life;
    if (life === undefined) return;
    const { queue, random, witness, plan } = this.#ports;
    this.#life = undefined;
    life.stop();
    witness.crashed(this);
    queue.after(random.tail(plan().downMs) + 1, () => {
      this.start();
    });
  }

  freeze(ms: number): void {
    this.#life?.freeze(ms);
  }

  thaw(): void {
    this.#life?.thaw();
  }

  /** Something happened. Its turn comes now, or when the node is free again. */
  tell(event: Event): void {
    this.#life?.post(event);
  }

  /** Its clock has ticked. */
  tick(): void {
    this.#life?.tick();
  }

  /** What its indexer finds next. */
  nextIndexed(heightMax: number): Event | undefined {
    return this.#view.next(heightMax);
  }

  /** The protocol forgets what ended; the shell asks the disk before it hands a repeated intent on. */
  #answer(event: Event): Effect | undefined {
    return event.type === "IntentSubmitted"
      ? { type: "Accepted", id: event.intent.id }
      : undefined;
  }

  /** What the shell adds to an event, as things are when its turn comes; undefined if it is old news. */
  #complete(
    event: Event,
  ): (Pick<Turn, "block"> & { readonly event: Event }) | undefined {
    if (event.type !== "IntentSubmitted") {
      const block = this.#view.blockOf(event);
      return block === "stale" ? undefined : { event, block };
    }
    const { id, dependsOn } = event.intent;
    const { records } = this.disk;
    if (intentOn(records, id)?.receipt !== undefined) return undefined;
    const fulfilled = dependsOn.filter((one) => this.holdings.isFulfilled(one));
    const reverted = dependsOn.filter(
      (one) => !this.holdings.isFulfilled(one) && this.#hasReverted(one),
    );
    return { event: { ...event, fulfilled, reverted }, block: undefined };
  }

  /** The core knows it before the disk does: events of one batch are stepped before its commit. */
  #hasReverted(id: IntentId): boolean {
    const { failed } = this.sequencer?.sender ?? {};
    if (failed !== undefined && recall(failed, id) === true) return true;
    const record = intentOn(this.disk.records, id);
    if (record === undefined) return false;
    const { receipt } = record;
    return (
      receipt?.type === "Reverted" ||
      (receipt?.type === "Prepared" && !isOpen(record, this.height))
    );
  }

  #commit({ effects, block }: Turn, isLast: boolean): void {
    const seen = typeof block === "number" ? undefined : block;
    this.#ports.witness.committing(this, effects, seen);
    this.disk.commit(effects);
    for (const effect of effects)
      if (effect.type === "Save" && effect.record.kind === "intent")
        this.#view.remember(effect.record);
    if (block !== undefined) this.#view.move(block);
    if (seen !== undefined) this.disk.prune(seen.height);
    if (isLast) return;
    const records = new Map(this.disk.records);
    for (const effect of effects) this.#recordsAt.set(effect, records);
  }
}
