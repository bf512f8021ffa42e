import { type Moment, LoopDriver } from "../node/driver.ts";
import { GroupCore } from "../node/group-core.ts";
import { GroupSchedule } from "../node/group-schedule.ts";
import type { Draft } from "../node/loop.ts";
import { Ticking } from "../node/ticking.ts";
import type { Effect } from "../protocol/effects.ts";
import type { Event } from "../protocol/events.ts";
import type { Tracer } from "../protocol/machine.ts";
import type { Sequencer } from "../protocol/sequencer.ts";
import { AwakeCopy } from "./awake-copy.ts";
import type { Block } from "./chain.ts";
import type { CommitFate } from "./disk.ts";
import { DiskFailure, Flushes } from "./flushes.ts";
import { HostTimers } from "./host-timers.ts";
import type { Queue } from "./queue.ts";

/** A turn of the core, as it is committed. */
export interface Turn {
  readonly effects: readonly Effect[];
  /** The block that it is about, or the height to which the chain was reverted. */
  readonly block: Block | number | undefined;
}

type HostEvent =
  /** The core was restored from the disk. */
  | { readonly type: "restored"; readonly effects: readonly Effect[] }
  | { readonly type: "core"; readonly event: Event }
  | { readonly type: "tick" | "delayed" };

type HostEffect = Effect | { readonly type: "ticked" };

type HostDraft = Draft<Turn, HostEffect>;

/** A group, as it is told of time. */
interface Timed {
  readonly handle: (event: Event) => Effect[];
}

interface LifePorts {
  readonly queue: Queue;
  readonly trace: Tracer<{ readonly state: string }> | undefined;
  /** The fate of a flush. */
  readonly drawFate: (hasRecords: boolean) => CommitFate;
  /** Adds to an event of the core what the node knows when its turn comes; undefined if there is nothing to tell the core. */
  readonly complete: (
    event: Event,
  ) => (Pick<Turn, "block"> & { readonly event: Event }) | undefined;
  /** Answers an event that the core is not told of; undefined if there is no answer. */
  readonly answer: (event: Event) => Effect | undefined;
  readonly turning: (event: Event) => void;
  readonly turned: (event: Event, effects: readonly Effect[]) => void;
  /** A group at rest was not told of something. */
  readonly rested: () => void;
  readonly commit: (turn: Turn, isLast: boolean) => void;
  readonly perform: (effect: Effect) => void;
  /** The disk has failed, or fate wants it: the node is to stop this life. */
  readonly crash: () => void;
}

/** One start of a node up to its end: a host of the loop that ships, with its ticking, its ranks and its rest. */
export class Life {
  readonly sequencer: Sequencer;
  readonly #ports: LifePorts;
  readonly #timers: HostTimers;
  readonly #flushes: Flushes<Turn>;
  readonly #loop: LoopDriver<HostEvent, Turn, HostEffect>;
  readonly #schedule: GroupSchedule<Timed>;
  readonly #core: GroupCore<Timed>;
  readonly #ticking: Ticking<Timed, HostDraft>;
  readonly #awakeCopy = new AwakeCopy();
  /** Turns of the batch, as long as none of them has anything to write. */
  readonly #turns: Turn[] = [];
  #hasWrites = false;
  /** Effects of the batch, and how many of them are performed before the node crashes. */
  #effects = { count: 0, left: Infinity };

  constructor(
    options: {
      readonly sequencer: Sequencer;
      readonly height: number;
      readonly tickMs: number;
    },
    ports: LifePorts,
  ) {
    const { sequencer, height, tickMs } = options;
    this.sequencer = sequencer;
    this.#ports = ports;
    this.#timers = new HostTimers(ports.queue);
    this.#schedule = new GroupSchedule(height);
    this.#flushes = this.#openFlushes();
    this.#loop = new LoopDriver({
      store: this.#flushes,
      timers: this.#timers,
      onFatal: (error) => {
        if (!(error instanceof DiskFailure)) throw error;
        ports.crash();
      },
    });
    const group: Timed = { handle: (event) => this.#handle(event) };
    this.#core = new GroupCore(
      { group, sequencer, isCaughtUp: true },
      { schedule: this.#schedule, trace: ports.trace },
    );
    this.#ticking = new Ticking(
      { ...sequencer.config, tickMs },
      {
        timers: this.#timers,
        loop: this.#loop,
        schedule: this.#schedule,
        addEffects: (draft, _, effects) => {
          this.#collect(draft, { effects, block: undefined });
        },
        onRetry: () => undefined,
      },
    );
  }

  #openFlushes(): Flushes<Turn> {
    const { queue, drawFate, commit, crash } = this.#ports;
    return new Flushes<Turn>({
      queue,
      drawFate: (turns) =>
        drawFate(turns.some(({ effects }) => effects.some(isRecord))),
      commit,
      crash,
      flushed: (crashAfter = Infinity) => {
        const { count } = this.#effects;
        this.#effects.left = Math.floor(crashAfter * Math.max(count, 1));
      },
    });
  }

  /** Begins with what the core wants done once it is restored. */
  start(effects: readonly Effect[]): void {
    this.#loop.start({
      step: this.#step,
      isAlone,
      apply: (turn) => {
        this.#flushes.add(turn);
      },
      perform: this.#perform,
      onBatch: this.#watch,
    });
    this.#loop.post({ type: "restored", effects });
  }

  /** Nothing of it goes on. */
  stop(): void {
    this.#loop.stop();
    this.#flushes.close();
    this.#timers.stop();
  }

  /** Whether an event would have to wait. */
  get isWaiting(): boolean {
    return (
      this.#flushes.isBusy || this.#timers.isFrozen || this.#loop.length > 0
    );
  }

  freeze(ms: number): void {
    this.#timers.freeze(ms);
  }

  thaw(): void {
    this.#timers.thaw();
  }

  /** Its turn comes now, or when the node is free again. */
  post(event: Event): void {
    if (isOfChain(event)) this.#loop.post({ type: "core", event });
    // As in the node that ships: whatever is begun comes before what users ask for.
    else if (event.type === "IntentSubmitted")
      this.#loop.post({ type: "core", event }, this.#schedule.nextRank());
    else this.#loop.post({ type: "core", event }, this.#core.rankNext());
  }

  /** Its clock has ticked. */
  tick(): void {
    this.#ticking.pass();
  }

  readonly #step = (event: HostEvent, draft: HostDraft): void => {
    switch (event.type) {
      case "restored":
        this.#collect(draft, { effects: event.effects, block: undefined });
        return;
      case "tick":
        this.#miss({ type: "Tick" });
        this.#ticking.tick(draft);
        return;
      case "delayed":
        this.#miss({ type: "Delayed" });
        this.#ticking.delay(draft);
        return;
      case "core":
        this.#turn(event.event, draft);
    }
  };

  /** Whether its group is at rest, and not told of this. */
  #miss(event: Event): boolean {
    if (!this.#core.isResting) return false;
    this.#awakeCopy.tell(this.sequencer, event);
    this.#ports.rested();
    return true;
  }

  #turn(posted: Event, draft: HostDraft): void {
    const completed = this.#ports.complete(posted);
    if (completed === undefined) {
      const effect = this.#ports.answer(posted);
      if (effect !== undefined) draft.afterCommit(effect);
      return;
    }
    const { event, block } = completed;
    const isMissed =
      event.type === "BlockSeen" &&
      event.facts.length === 0 &&
      this.#miss(event);
    const effects = isMissed ? [] : this.#handle(event);
    this.#collect(draft, { effects, block });
    if (!isOfChain(event)) return;
    this.#schedule.height = event.height;
    if (event.facts.length > 0) this.#core.lineUp();
  }

  #handle(event: Event): Effect[] {
    this.#core.wake();
    this.#awakeCopy.compare(this.sequencer);
    this.#ports.turning(event);
    const effects = this.#core.handle(event);
    this.#ports.turned(event, effects);
    return effects;
  }

  /** Adds a turn of the core to a batch. If anything of the batch is durable, all of its turns are committed in order. */
  #collect(draft: HostDraft, turn: Turn): void {
    const { block, effects } = turn;
    this.#hasWrites ||= block !== undefined || effects.some(isRecord);
    this.#turns.push(turn);
    if (this.#hasWrites)
      for (const one of this.#turns.splice(0)) draft.write(one);
    for (const effect of effects) draft.afterCommit(effect);
  }

  readonly #watch = (
    { effects }: { readonly effects: readonly HostEffect[] },
    moment: Moment,
  ): void => {
    if (moment === "written")
      this.#effects.count = effects.filter(isOfCore).length;
    if (moment !== "performed") return;
    this.#turns.length = 0;
    this.#hasWrites = false;
    // It was to perform some of the effects, and has.
    if (this.#effects.left < Infinity) this.#ports.crash();
  };

  readonly #perform = (effect: HostEffect): void => {
    if (!isOfCore(effect)) {
      this.#ticking.ticked();
      return;
    }
    if (this.#effects.left <= 0) {
      this.#ports.crash();
      return;
    }
    this.#effects.left -= 1;
    if (!isRecord(effect)) this.#ports.perform(effect);
  };
}

/** Whether an event is about blocks, which are committed one by one, or must not wait for what others write. */
function isAlone(event: HostEvent): boolean {
  return event.type === "core"
    ? isOfChain(event.event)
    : event.type === "delayed";
}

function isOfChain(
  event: Event,
): event is Extract<Event, { readonly type: "BlockSeen" | "BlocksReverted" }> {
  return event.type === "BlockSeen" || event.type === "BlocksReverted";
}

function isRecord({ type }: Effect): boolean {
  return type === "Save" || type === "Erase";
}

function isOfCore(effect: HostEffect): effect is Effect {
  return effect.type !== "ticked";
}
