import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";

type Done = (error: NodeJS.ErrnoException | null) => void;

/**
 * SQLite's write-ahead log, in which every commit is before it is anywhere else. SQLite would wait for the disk with every
 * commit, and the whole process with it. Here the disk is asked in the background, once for all commits that wait.
 */
export class CommitLog {
  readonly #file: string;
  #descriptor: number | undefined;
  #waiting: Done[] = [];
  #isBusy = false;
  /** What the disk did not take once may be lost, even if it says later that all is well: all that follows is worth nothing then. */
  #failure: NodeJS.ErrnoException | null = null;
  #isClosed = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** Calls back when all that is committed now is on the disk. */
  flush(done: Done): void {
    this.#waiting.push(done);
    if (!this.#isBusy) this.#flushWaiting();
  }

  /** Returns when all that is committed is on the disk. */
  flushNow(): void {
    fdatasyncSync(this.#open());
  }

  /** Whoever waits is still told. */
  close(): void {
    this.#isClosed = true;
    if (!this.#isBusy) this.#release();
  }

  #flushWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#isBusy = true;
    fdatasync(this.#open(), (error) => {
      this.#failure ??= error;
      for (const done of waiting) done(this.#failure);
      if (this.#waiting.length > 0) this.#flushWaiting();
      else this.#rest();
    });
  }

  #rest(): void {
    this.#isBusy = false;
    if (this.#isClosed) this.#release();
  }

  #open(): number {
    this.#descriptor ??= openSync(this.#file, "r+");
    return this.#descriptor;
  }

  #release(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
