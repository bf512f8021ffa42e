import type { SequencerConfig } from "../protocol/config.ts";
import type { Effect } from "../protocol/effects.ts";
import type { Event } from "../protocol/events.ts";
import type { IntentId, NodeName } from "../protocol/ids.ts";
import type { Tracer } from "../protocol/machine.ts";
import { isOpen } from "../protocol/restore.ts";
import {
  createSequencer,
  handle,
  type Sequencer,
} from "../protocol/sequencer.ts";
import type { Block, Chain } from "./chain.ts";
import { ChainView } from "./chain-view.ts";
import { type CommitFate, Disk, drawFate } from "./disk.ts";
import type { Book } from "./domains/domain.ts";
import type { FaultCounter, FaultPlan } from "./faults.ts";
import type { Queue } from "./queue.ts";
import type { Random } from "./random.ts";
import { Sleeper } from "./sleeper.ts";

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
  readonly holdings: Pick<Book, "has" | "isSpent" | "isFulfilled">;
  readonly height: number;
  readonly boot: number;
  readonly isUp: boolean;
}

/** A node: the core, its disk, its view of the chain, and the order of its turns. */
export class Node implements SimulatedNode {
  readonly name: NodeName;
  readonly index: number;
  readonly disk = new Disk();
  boot = 0;
  #sequencer: Sequencer | undefined;
  #sleeper = new Sleeper();
  readonly #config: SequencerConfig;
  readonly #ports: NodePorts;
  readonly #view: ChainView;
  /** Events that wait: the node is frozen or its disk is busy. */
  #inbox: Event[] = [];
  #missedTicks = 0;
  #isBusy = false;
  #frozenUntil = 0;
  #isDead = false;

  constructor(
    options: { readonly index: number; readonly config: SequencerConfig },
    ports: NodePorts,
  ) {
    this.index = options.index;
    this.name = options.config.self;
    this.#config = options.config;
    this.#ports = ports;
    this.#view = new ChainView(ports);
  }

  get height(): number {
    return this.#view.height;
  }

  get holdings(): Book {
    return this.#ports.book;
  }

  get isUp(): boolean {
    return this.#sequencer !== undefined;
  }

  get sequencer(): Sequencer | undefined {
    return this.#sequencer;
  }

  /** Whether it is down for good. */
  get isDead(): boolean {
    return this.#isDead;
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
    this.#sequencer = sequencer;
    this.#sleeper = new Sleeper();
    witness.started(this, effects);
    this.#settle(effects);
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
    if (!this.isUp) return;
    const { queue, random, witness } = this.#ports;
    this.#sequencer = undefined;
    this.#inbox = [];
    this.#missedTicks = 0;
    this.#isBusy = false;
    this.#frozenUntil = 0;
    witness.crashed(this);
    queue.after(random.tail(this.#ports.plan().downMs) + 1, () => {
      this.start();
    });
  }

  freeze(ms: number): void {
    const { queue } = this.#ports;
    this.#frozenUntil = Math.max(this.#frozenUntil, queue.now + ms);
    const { boot } = this;
    queue.after(ms, () => {
      if (boot === this.boot) this.#drain();
    });
  }

  thaw(): void {
    this.#frozenUntil = 0;
    this.#drain();
  }

  /** Something happened. Its turn comes now, or when the node is free again. */
  tell(event: Event): void {
    if (!this.isUp) return;
    if (!this.#isWaiting()) {
      this.#turn(event);
      return;
    }
    if (event.type === "Tick") this.#missTick();
    else this.#inbox.push(event);
  }

  /** A node that stands still does not count what it misses of the time. But it soon says that it is there. */
  #missTick(): void {
    this.#missedTicks += 1;
    if (this.#missedTicks % this.#config.heartbeatTicks !== 0) return;
    if (this.#inbox[0]?.type !== "Delayed")
      this.#inbox.unshift({ type: "Delayed" });
  }

  #isWaiting(): boolean {
    return this.#isBusy || this.#ports.queue.now < this.#frozenUntil;
  }

  #drain(): void {
    while (this.#inbox.length > 0 && this.isUp && !this.#isWaiting()) {
      const event = this.#inbox.shift();
      if (event !== undefined) this.#turn(event);
    }
  }

  #turn(event: Event): void {
    if (this.#sequencer === undefined) return;
    const { witness, trace } = this.#ports;
    if (event.type === "IntentSubmitted" && this.#hasEnded(event.intent.id)) {
      this.#perform([{ type: "Accepted", id: event.intent.id }], 1);
      return;
    }
    const block = this.#view.blockOf(event);
    if (block === "stale") return;
    this.#sleeper.before(this.#sequencer, event);
    witness.turning(this, event);
    const effects = handle(this.#sequencer, this.#complete(event), trace);
    this.#sleeper.after(this.#sequencer, event, effects);
    witness.turned(this, event, effects);
    this.#settle(effects, block);
  }

  /** The protocol forgets what ended; the shell asks the disk before it hands a repeated intent on. */
  #hasEnded(id: IntentId): boolean {
    const record = this.disk.records.get(`intent:${id}`);
    return record?.kind === "intent" && record.receipt !== undefined;
  }

  /** What the shell adds to an event, as things are when its turn comes. */
  #complete(event: Event): Event {
    if (event.type !== "IntentSubmitted") return event;
    const { dependsOn } = event.intent;
    if (dependsOn.length === 0) return event;
    return {
      ...event,
      fulfilled: dependsOn.filter((id) => this.holdings.isFulfilled(id)),
      reverted: dependsOn.filter((id) => {
        const record = this.disk.records.get(`intent:${id}`);
        if (record?.kind !== "intent") return false;
        const { receipt } = record;
        return (
          receipt?.type === "Reverted" ||
          (receipt?.type === "Prepared" && !isOpen(record, this.height))
        );
      }),
    };
  }

  /** Commits, then performs, as far as fate allows. */
  #settle(effects: readonly Effect[], block?: Block | number): void {
    const { queue, random, faults } = this.#ports;
    const hasRecords = effects.some(
      ({ type }) => type === "Save" || type === "Erase",
    );
    if (!hasRecords && block === undefined) {
      this.#perform(effects, effects.length);
      return;
    }
    const fate =
      (hasRecords ? this.#ports.crash?.() : undefined) ??
      drawFate(this.#ports.plan(), random, faults);
    const finish = (): void => {
      if (fate.isApplied) this.#commit(effects, block);
      if (fate.crashAfter === undefined) {
        this.#perform(effects, effects.length);
        return;
      }
      this.#perform(effects, Math.floor(fate.crashAfter * effects.length));
      this.crash();
    };
    if (fate.delayMs === 0) {
      finish();
      return;
    }
    this.#isBusy = true;
    const { boot } = this;
    queue.after(fate.delayMs, () => {
      if (boot !== this.boot || !this.isUp) return;
      finish();
      this.#isBusy = false;
      this.#drain();
    });
  }

  #commit(effects: readonly Effect[], block?: Block | number): void {
    this.#ports.witness.committing(
      this,
      effects,
      typeof block === "number" ? undefined : block,
    );
    this.disk.commit(effects);
    for (const effect of effects)
      if (effect.type === "Save" && effect.record.kind === "intent")
        this.#view.remember(effect.record);
    if (block !== undefined) this.#view.move(block);
    if (typeof block === "object") this.disk.prune(block.height);
  }

  #perform(effects: readonly Effect[], count: number): void {
    const { witness, perform } = this.#ports;
    for (let i = 0; i < count; i++) {
      const effect = effects[i];
      if (effect === undefined) return;
      if (effect.type === "Save" || effect.type === "Erase") continue;
      witness.performing(this, effect);
      perform(this, effect);
      if (!this.isUp) return;
    }
  }

  /** What its indexer finds next. */
  nextIndexed(heightMax: number): Event | undefined {
    return this.#view.next(heightMax);
  }

  /** Whether its turns wait for something. */
  get isWaiting(): boolean {
    return this.#isWaiting();
  }
}
