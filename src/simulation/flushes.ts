import type { CommitFate } from "./disk.ts";
import type { Queue } from "./queue.ts";

/** The disk failed. Nobody can tell what it has. */
export class DiskFailure extends Error {
  override readonly name = "DiskFailure";

  constructor() {
    super("The disk has failed.");
  }
}

interface FlushPorts<Write> {
  readonly queue: Queue;
  readonly drawFate: (writes: readonly Write[]) => CommitFate;
  /** Makes a write durable, the last one of its batch or an earlier one. */
  readonly commit: (write: Write, isLast: boolean) => void;
  /** The node ends before it hears that the flush is over. */
  readonly crash: () => void;
  /** The flush is over. A share of the effects that follow is performed before the node ends; undefined: all, and it goes on. */
  readonly flushed: (crashAfter: number | undefined) => void;
}

/**
 * The way of one start of a node to its disk: all that is written since the last flush becomes durable together, or nothing of it, and fate
 * decides when, and whether the node hears of it.
 */
export class Flushes<Write> {
  readonly #ports: FlushPorts<Write>;
  #written: Write[] = [];
  #isBusy = false;
  #isClosed = false;

  constructor(ports: FlushPorts<Write>) {
    this.#ports = ports;
  }

  /** Whether a flush is under way. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** The node is gone. What it wrote and had not flushed is lost. */
  close(): void {
    this.#isClosed = true;
  }

  add(write: Write): void {
    this.#written.push(write);
  }

  readonly write = <Result>(run: () => Result): Result => run();

  readonly flush = (done: (error: Error | undefined) => void): void => {
    const { queue, drawFate } = this.#ports;
    const writes = this.#written;
    this.#written = [];
    const fate = drawFate(writes);
    this.#isBusy = true;
    if (fate.delayMs === 0) this.#finish(writes, fate, done);
    else
      queue.after(fate.delayMs, () => {
        this.#finish(writes, fate, done);
      });
  };

  #finish(
    writes: readonly Write[],
    { isApplied, hasFailed, crashAfter }: CommitFate,
    done: (error: Error | undefined) => void,
  ): void {
    const { commit, crash, flushed } = this.#ports;
    if (this.#isClosed) return;
    this.#isBusy = false;
    if (isApplied)
      for (const [index, write] of writes.entries())
        commit(write, index === writes.length - 1);
    if (hasFailed) done(new DiskFailure());
    else if (crashAfter === 0) crash();
    else {
      flushed(crashAfter);
      done(undefined);
    }
  }
}
