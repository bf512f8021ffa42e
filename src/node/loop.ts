import { createHeap, pop, push } from "../protocol/heap.ts";

/** Events in one batch at most: more would only make the first ones wait. */
const EVENTS_MAX = 512;

/** What one batch of events leads to. All writes are durable before the first effect is performed. */
export interface Batch<Event, Write, Effect> {
  readonly events: readonly Event[];
  readonly writes: readonly Write[];
  readonly effects: readonly Effect[];
}

/** Collects the writes and the effects of a batch. */
export class Draft<Write, Effect> {
  #records: Map<string, Write> | undefined;
  readonly #writes: Write[] = [];
  readonly effects: Effect[] = [];

  /** Of several writes with the same key only the last is made, before all writes without a key. */
  record(key: string, write: Write): void {
    this.#records ??= new Map();
    this.#records.set(key, write);
  }

  write(write: Write): void {
    this.#writes.push(write);
  }

  afterCommit(effect: Effect): void {
    this.effects.push(effect);
  }

  get writes(): readonly Write[] {
    return this.#records === undefined
      ? this.#writes
      : [...this.#records.values(), ...this.#writes];
  }
}

/** The meaning of events. */
export interface Steps<Event, Write, Effect> {
  /** Deals with one event: changes memory, and collects what follows. */
  readonly step: (event: Event, draft: Draft<Write, Effect>) => void;
  /** Whether the event reads from the store what others in its batch may be about to write. */
  readonly isAlone: (event: Event) => boolean;
}

/**
 * The loop of a node: a synchronous machine that takes the events that wait, and makes one batch of them. While that one is not
 * committed, the next events gather. The host writes, waits for the disk, and performs the effects: see `driver.ts`.
 */
export class CommitLoop<Event, Write, Effect> {
  #waiting = createHeap<Event>();
  #isOpen = false;
  #isStopped = false;

  /** Events that wait. */
  get length(): number {
    return this.#waiting.entries.length;
  }

  /** Whether a batch could be taken now. */
  get isReady(): boolean {
    return this.length > 0 && !this.#isOpen && !this.#isStopped;
  }

  /** The lower the rank, the sooner; those with the same rank in the order in which they came. False after the end. */
  post(event: Event, rank = 0): boolean {
    if (this.#isStopped) return false;
    push(this.#waiting, rank, event);
    return true;
  }

  /**
   * Steps events that wait, until it is time for others: asked after each. Undefined if there are none, or the last batch is not
   * committed. If a step throws, memory is in an unknown state, and the loop must be stopped.
   */
  ready(
    { step, isAlone }: Steps<Event, Write, Effect>,
    mayContinue: () => boolean,
  ): Batch<Event, Write, Effect> | undefined {
    if (!this.isReady) return undefined;
    this.#isOpen = true;
    const events: Event[] = [];
    const draft = new Draft<Write, Effect>();
    do {
      const event = pop(this.#waiting);
      if (event === undefined) break;
      events.push(event);
      step(event, draft);
      if (isAlone(event)) break;
    } while (
      events.length < EVENTS_MAX &&
      mayContinue() &&
      this.#mayJoin(isAlone)
    );
    const { writes, effects } = draft;
    return { events, writes, effects };
  }

  /** The writes of the open batch are durable. */
  committed(): void {
    this.#isOpen = false;
  }

  /** Forgets what waits, as if the process had ended. */
  stop(): void {
    this.#isStopped = true;
    this.#waiting = createHeap();
  }

  /** Whether the next event may be in a batch with others. */
  #mayJoin(isAlone: (event: Event) => boolean): boolean {
    const [next] = this.#waiting.entries;
    return next !== undefined && !isAlone(next.id);
  }
}
