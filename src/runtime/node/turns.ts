import { createHeap, pop, push } from "../../protocol/heap.ts";
import type { Store } from "../store/store.ts";
import { machineTimers, type Timers } from "../timers.ts";

/** What one turn collects: what must be durable, and what happens once it is. */
export interface Turn {
  /** Runs inside the commit. */
  readonly writes: (() => void)[];
  /** Runs inside the commit, before those: of several writes of one record, only the last. */
  readonly records: Map<string, () => void>;
  /** Runs after the commit, in order. */
  readonly deeds: (() => void)[];
}

/** Something that happened, to be dealt with in a turn. */
export interface Job {
  readonly run: (turn: Turn) => void;
  /** The lower, the sooner; those with the same in the order in which they came. Whatever has none comes first. */
  readonly rank?: number;
  /** It reads from the store what others in the same turn may be about to write. */
  readonly isAlone?: boolean;
  /** The node stopped before the job was done. Whether its writes are on the disk is only known after the next start. */
  readonly onDropped?: () => void;
}

/** Jobs that are dealt with together at most: more would only make the first ones wait. */
const JOBS_MAX = 512;

/** No job begins later in a turn: others want the thread too. Hardhat's chain needs it for every transaction that it mines. */
const TURN_MS = 20;

/**
 * The loop of a node: takes the jobs that wait, commits all that they want to keep in one transaction, then performs the
 * rest. While the disk is busy, the next ones gather. When anything in this fails, memory and disk no longer agree, and the node must stop.
 */
export class Turns {
  readonly #store: Store;
  readonly #onFatal: (error: unknown) => void;
  readonly #timers: Timers;
  #waiting = createHeap<Job>();
  #isScheduled = false;
  /** The jobs whose writes are on their way to the disk. */
  #flushing: readonly Job[] | undefined;
  /** Who wants to know when they are there. */
  #onFlushed: (() => void)[] = [];
  #isStopped = false;

  constructor(ports: {
    readonly store: Store;
    readonly onFatal: (error: unknown) => void;
    readonly timers?: Timers;
  }) {
    this.#store = ports.store;
    this.#onFatal = ports.onFatal;
    this.#timers = ports.timers ?? machineTimers;
  }

  get length(): number {
    return this.#waiting.entries.length;
  }

  add(job: Job): void {
    if (this.#isStopped) {
      job.onDropped?.();
      return;
    }
    push(this.#waiting, job.rank ?? 0, job);
    this.#schedule();
  }

  /** Resolves when what is on its way to the disk is there, and what follows from it is done. */
  async flushed(): Promise<void> {
    if (this.#flushing === undefined) return;
    await new Promise<void>((resolve) => {
      this.#onFlushed.push(resolve);
    });
  }

  /** What waits is forgotten, as if the process had ended. */
  stop(): void {
    this.#isStopped = true;
    const dropped = [
      ...(this.#flushing ?? []),
      ...this.#waiting.entries.map(({ id }) => id),
    ];
    this.#waiting = createHeap();
    this.#flushing = undefined;
    for (const job of dropped) job.onDropped?.();
    this.#tellFlushed();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#flushing !== undefined) return;
    this.#isScheduled = true;
    this.#timers.after(0, () => {
      this.#isScheduled = false;
      this.#take();
    });
  }

  #take(): void {
    if (this.#isStopped || this.length === 0) return;
    const jobs: Job[] = [];
    const turn: Turn = { writes: [], records: new Map(), deeds: [] };
    try {
      const endMs = this.#timers.now() + TURN_MS;
      while (jobs.length < JOBS_MAX && this.#mayTake(jobs)) {
        const job = pop(this.#waiting);
        if (job === undefined) break;
        jobs.push(job);
        job.run(turn);
        if (this.#timers.now() >= endMs) break;
      }
      if (hasWrites(turn))
        this.#store.write(() => {
          for (const write of turn.records.values()) write();
          for (const write of turn.writes) write();
        });
    } catch (error) {
      this.#fail(jobs, error);
      return;
    }
    if (!hasWrites(turn)) {
      this.#finish(jobs, turn);
      return;
    }
    this.#flushing = jobs;
    this.#store.flush((error) => {
      if (this.#hasStopped()) return;
      this.#flushing = undefined;
      if (error === undefined) this.#finish(jobs, turn);
      else this.#fail(jobs, error);
      this.#tellFlushed();
    });
  }

  #finish(jobs: readonly Job[], { deeds }: Turn): void {
    try {
      for (const deed of deeds) if (!this.#hasStopped()) deed();
    } catch (error) {
      this.#fail(jobs, error);
      return;
    }
    if (this.length > 0) this.#schedule();
  }

  #tellFlushed(): void {
    for (const resolve of this.#onFlushed.splice(0)) resolve();
  }

  #fail(jobs: readonly Job[], error: unknown): void {
    this.stop();
    this.#onFatal(error);
    for (const job of jobs) job.onDropped?.();
  }

  /** Asked after every deed: it may have stopped the node. */
  #hasStopped(): boolean {
    return this.#isStopped;
  }

  /** Whether the next job may be in one turn with these. */
  #mayTake(jobs: readonly Job[]): boolean {
    const [next] = this.#waiting.entries;
    return (
      jobs.length === 0 ||
      (jobs[0]?.isAlone !== true && next?.id.isAlone !== true)
    );
  }
}

function hasWrites({ writes, records }: Turn): boolean {
  return writes.length > 0 || records.size > 0;
}
