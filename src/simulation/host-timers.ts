import type { Timers } from "../async/timers.ts";
import type { Queue } from "./queue.ts";

interface Entry {
  readonly run: () => void;
  isCancelled: boolean;
}

/**
 * The timers of one start of a node, in virtual time. The loop of the node goes on as soon as it can: at once, or after what it is doing. While the
 * node is frozen nothing goes on, and after its end nothing ever does.
 */
export class HostTimers implements Timers {
  readonly #queue: Queue;
  #due: Entry[] = [];
  #isRunning = false;
  #isStopped = false;
  #frozenUntil = 0;

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  get isFrozen(): boolean {
    return this.#queue.now < this.#frozenUntil;
  }

  readonly now = (): number => this.#queue.now;

  readonly after = (ms: number, run: () => void): (() => void) => {
    const entry = { run, isCancelled: false };
    if (ms > 0)
      this.#queue.after(ms, () => {
        this.#soon(entry);
      });
    else this.#soon(entry);
    return () => {
      entry.isCancelled = true;
    };
  };

  freeze(ms: number): void {
    this.#frozenUntil = Math.max(this.#frozenUntil, this.#queue.now + ms);
    this.#queue.after(ms, () => {
      this.#run();
    });
  }

  thaw(): void {
    this.#frozenUntil = 0;
    this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    this.#due = [];
  }

  #soon(entry: Entry): void {
    if (this.#isRunning || this.isFrozen || this.#due.length > 0) {
      this.#due.push(entry);
      this.#run();
      return;
    }
    if (this.#isStopped) return;
    this.#isRunning = true;
    try {
      if (!entry.isCancelled) entry.run();
    } finally {
      this.#isRunning = false;
    }
    if (this.#due.length > 0) this.#run();
  }

  #run(): void {
    if (this.#isRunning || this.#due.length === 0) return;
    this.#isRunning = true;
    try {
      while (!this.isFrozen && !this.#isStopped) {
        const entry = this.#due.shift();
        if (entry === undefined) return;
        if (!entry.isCancelled) entry.run();
      }
    } finally {
      this.#isRunning = false;
    }
  }
}
