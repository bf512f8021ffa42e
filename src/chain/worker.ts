import { ChainError } from "./ports.ts";
import { SignerError } from "../keys/ports.ts";
import type { Timers } from "../async/timers.ts";
import { Backoff } from "./backoff.ts";
import { Bell } from "./bell.ts";

/** The chain changed while it was read, or two nodes answered that know different chains. Reading again helps. */
export class ChainMoved extends Error {
  override readonly name = "ChainMoved";
}

/** What a worker does. */
export interface WorkerPorts {
  readonly timers: Timers;
  /** Does a piece of work; whether there is more to do at once. */
  readonly work: () => Promise<boolean>;
  /** How long it waits for somebody to wake it. */
  readonly idleMs: () => number;
  /** Nobody did. */
  readonly onIdle: () => void;
  /** The chain or a key is in the way; undefined when it is no more. Any other error ends the worker. */
  readonly onTrouble: (error: Error | undefined) => void;
}

/** A chain that moves under every look at it is in trouble after so many looks. */
const MOVES_MAX = 5;

/** Works again and again: at once while there is more to do, when it is woken, and after pauses while something is away. */
export class Worker {
  readonly #ports: WorkerPorts;
  readonly #bell = new Bell();
  readonly #backoff = new Backoff({ firstMs: 50, lastMs: 5_000 });
  #moves = 0;
  #hasTrouble = false;
  #isStopped = true;
  #running = Promise.resolve();

  constructor(ports: WorkerPorts) {
    this.#ports = ports;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  start(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#running = this.#run();
  }

  /** Resolves when the last piece of work is done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#bell.ring();
    await this.#running;
  }

  wake(): void {
    this.#bell.ring();
  }

  async #run(): Promise<void> {
    const { work, idleMs, onIdle } = this.#ports;
    while (!this.#isStopped) {
      try {
        const isMore = await work();
        this.#backoff.reset();
        this.#moves = 0;
        this.#report(undefined);
        if (!isMore) await this.#pause(idleMs(), onIdle);
      } catch (error) {
        if (error instanceof ChainMoved && ++this.#moves <= MOVES_MAX) {
          await this.#pause(this.#backoff.next());
        } else if (
          error instanceof ChainError ||
          error instanceof ChainMoved ||
          error instanceof SignerError
        ) {
          this.#report(error);
          await this.#pause(this.#backoff.next());
        } else {
          this.#isStopped = true;
          this.#report(
            error instanceof Error
              ? error
              : new Error("Unknown", { cause: error }),
          );
        }
      }
    }
  }

  #report(error: Error | undefined): void {
    if (error === undefined && !this.#hasTrouble) return;
    this.#hasTrouble = error !== undefined;
    this.#ports.onTrouble(error);
  }

  /** Until somebody rings, or the time is up. */
  async #pause(ms: number, onTimeUp?: () => void): Promise<void> {
    const cancel = this.#ports.timers.after(ms, () => {
      onTimeUp?.();
      this.#bell.ring();
    });
    await this.#bell.wait();
    cancel();
  }
}
