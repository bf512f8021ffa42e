import type { Timers } from "../async/timers.ts";
import type { Store } from "../store/store.ts";
import { type Batch, CommitLoop, type Steps } from "./loop.ts";

/** No event is stepped later in a batch: others want the thread too. Hardhat's chain needs it for every transaction that it mines. */
const BATCH_MS = 20;

/**
 * How far a batch is: all of it is written, and the transaction is still open; it is on the disk, and nothing has followed from it; all of its
 * effects are performed.
 */
export type Moment = "written" | "durable" | "performed";

/** What becomes of the batches of a loop. */
export interface Machine<Event, Write, Effect> extends Steps<
  Event,
  Write,
  Effect
> {
  /** Makes a write, inside the transaction of its batch. */
  readonly apply: (write: Write) => void;
  readonly perform: (effect: Effect) => void;
  /** Sees every batch that writes, and those that do not when they are performed. */
  readonly onBatch?:
    ((batch: Batch<Event, Write, Effect>, moment: Moment) => void) | undefined;
}

/** An event begins to wait, or it is stepped now. */
export type EventMoment = "posted" | "stepped";

interface DriverPorts<Event> {
  readonly store: Pick<Store, "write" | "flush">;
  readonly timers: Timers;
  /** Memory and disk no longer agree. The loop has stopped, and the node must stop. */
  readonly onFatal: (error: unknown) => void;
  /** Sees every event that the loop takes, twice. */
  readonly onEvent?: ((event: Event, moment: EventMoment) => void) | undefined;
}

/**
 * Runs the loop of a node: as soon as events wait and the disk is free, it commits all writes of the next batch in one transaction, waits for
 * the disk, and performs the effects in order. A batch without writes does not wait for the disk.
 */
export class LoopDriver<Event, Write, Effect> {
  readonly #ports: DriverPorts<Event>;
  readonly #loop = new CommitLoop<Event, Write, Effect>();
  #machine: Machine<Event, Write, Effect> | undefined;
  #isScheduled = false;
  /** When the batch that is stepped must end. */
  #endMs = 0;
  #isFlushing = false;
  /** Called when what is on its way to the disk is there. */
  #onFlushed: (() => void)[] = [];
  #isStopped = false;

  constructor(ports: DriverPorts<Event>) {
    this.#ports = ports;
  }

  /** Events that wait. */
  get length(): number {
    return this.#loop.length;
  }

  /** Begins with what was posted meanwhile. */
  start(machine: Machine<Event, Write, Effect>): void {
    const { onEvent } = this.#ports;
    const step: typeof machine.step = (event, draft) => {
      onEvent?.(event, "stepped");
      machine.step(event, draft);
    };
    this.#machine = onEvent === undefined ? machine : { ...machine, step };
    this.#schedule();
  }

  /** See {@link CommitLoop.post}. */
  post(event: Event, rank?: number): void {
    if (!this.#loop.post(event, rank)) return;
    this.#ports.onEvent?.(event, "posted");
    this.#schedule();
  }

  /** Resolves when what is on its way to the disk is there, and what follows from it is done. */
  async flushed(): Promise<void> {
    if (!this.#isFlushing) return;
    await new Promise<void>((resolve) => {
      this.#onFlushed.push(resolve);
    });
  }

  /** Forgets what waits, as if the process had ended. */
  stop(): void {
    this.#isStopped = true;
    this.#isFlushing = false;
    this.#loop.stop();
    this.#tellFlushed();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#machine === undefined || !this.#loop.isReady)
      return;
    this.#isScheduled = true;
    this.#ports.timers.after(0, this.#take);
  }

  readonly #mayContinue = (): boolean => this.#ports.timers.now() < this.#endMs;

  readonly #take = (): void => {
    this.#isScheduled = false;
    const machine = this.#machine;
    if (machine === undefined) return;
    let batch: Batch<Event, Write, Effect> | undefined;
    try {
      this.#endMs = this.#ports.timers.now() + BATCH_MS;
      batch = this.#loop.ready(machine, this.#mayContinue);
      if (batch !== undefined) this.#write(batch, machine);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (batch === undefined) return;
    if (batch.writes.length === 0) this.#perform(batch, machine);
    else this.#flush(batch, machine);
  };

  #write(
    batch: Batch<Event, Write, Effect>,
    { apply, onBatch }: Machine<Event, Write, Effect>,
  ): void {
    if (batch.writes.length === 0) return;
    this.#ports.store.write(() => {
      for (const write of batch.writes) apply(write);
      onBatch?.(batch, "written");
    });
  }

  #flush(
    batch: Batch<Event, Write, Effect>,
    machine: Machine<Event, Write, Effect>,
  ): void {
    this.#isFlushing = true;
    this.#ports.store.flush((error) => {
      if (this.#isStopped) return;
      this.#isFlushing = false;
      if (error === undefined) this.#perform(batch, machine);
      else this.#fail(error);
      this.#tellFlushed();
    });
  }

  #perform(
    batch: Batch<Event, Write, Effect>,
    { perform, onBatch }: Machine<Event, Write, Effect>,
  ): void {
    this.#loop.committed();
    try {
      if (batch.writes.length > 0) onBatch?.(batch, "durable");
      for (const effect of batch.effects) {
        // An effect may have stopped the node.
        if (this.#hasStopped()) return;
        perform(effect);
      }
      onBatch?.(batch, "performed");
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#schedule();
  }

  #hasStopped(): boolean {
    return this.#isStopped;
  }

  #tellFlushed(): void {
    for (const resolve of this.#onFlushed.splice(0)) resolve();
  }

  #fail(error: unknown): void {
    this.stop();
    this.#ports.onFatal(error);
  }
}
