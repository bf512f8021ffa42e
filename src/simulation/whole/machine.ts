import { createHash, type KeyObject } from "node:crypto";

import type { Machine } from "../../node/machine.ts";
import type { Timers } from "../../async/timers.ts";
import type { Queue } from "../queue.ts";
import type { Random } from "../random.ts";
import type { SimulatedDisk } from "./disk.ts";
import { DurableFacts } from "./watch/durable-facts.ts";

/** The first moment of every run: 2026-01-01. */
const EPOCH_MS = 1_767_225_600_000;

/** Milliseconds since 1970, so long after the start of a run. */
export function wallMsAt(ms: number): number {
  return EPOCH_MS + Math.floor(ms);
}

interface SimulatedMachineOptions {
  readonly queue: Queue;
  readonly random: Random;
  readonly disk: SimulatedDisk;
  /** The key of a node, by which its stand-in signatures are known. */
  readonly keyBytesOf: (key: KeyObject) => string;
  /** It has worked for so long, and everything else waited meanwhile. */
  readonly onHeld?: (ms: number) => void;
}

/**
 * A machine in virtual time, for one start of a node. After `kill` nothing that the node began goes on: no timer fires, and nobody
 * hears of it. After `freeze` everything waits until it is thawed. With `work` its clock goes on while all others stand still: what it
 * does next, and what others do to it, comes after that.
 */
export class SimulatedMachine implements Machine {
  readonly #options: SimulatedMachineOptions;
  #isAlive = true;
  #frozenUntil = 0;
  /** When the work is done that it does now. */
  #busyUntil = 0;
  /** When it began with that. */
  #busySince = 0;
  /** What was to happen while it was frozen or at work. */
  readonly #waiting: (() => void)[] = [];
  #isWaking = false;
  /** Its disk has another owner. */
  isTwin = false;
  /** What has been on its disk since it started. */
  readonly durable = new DurableFacts();

  constructor(options: SimulatedMachineOptions) {
    this.#options = options;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  kill(): void {
    this.#isAlive = false;
  }

  /** Nothing happens on it for so long. */
  freeze(ms: number): void {
    this.#frozenUntil = Math.max(this.#frozenUntil, this.#now() + ms);
  }

  /** Whatever it does now takes so long. */
  work(ms: number): void {
    const { queue, onHeld } = this.#options;
    if (this.#busyUntil <= queue.now) {
      this.#busySince = queue.now;
      this.#busyUntil = queue.now;
    }
    this.#busyUntil += ms;
    onHeld?.(this.#busyUntil - this.#busySince);
  }

  /** Runs when the work is done that it does now: at once, if there is none. */
  afterWork(run: () => void): void {
    const { queue } = this.#options;
    if (this.#busyUntil <= queue.now) run();
    else this.at(this.#busyUntil, run);
  }

  readonly timers: Timers = {
    now: () => this.#now(),
    after: (ms, run) => {
      let isCancelled = false;
      this.at(this.#now() + ms, () => {
        if (!isCancelled) run();
      });
      return () => {
        isCancelled = true;
      };
    },
  };

  /** Runs at that moment, or when the machine is free and all that came before is done, unless it is gone by then. */
  at(ms: number, run: () => void): void {
    const { queue } = this.#options;
    queue.after(ms - queue.now, () => {
      if (!this.#isAlive) return;
      if (queue.now >= this.#freeAt && this.#waiting.length === 0) {
        run();
        return;
      }
      this.#waiting.push(run);
      this.#wake();
    });
  }

  get #freeAt(): number {
    return Math.max(this.#frozenUntil, this.#busyUntil);
  }

  /** Does what waits, one after the other. */
  #wake(): void {
    const { queue } = this.#options;
    if (this.#isWaking) return;
    this.#isWaking = true;
    queue.after(this.#freeAt - queue.now, () => {
      this.#isWaking = false;
      if (!this.#isAlive) return;
      if (queue.now >= this.#freeAt) this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#wake();
    });
  }

  readonly wallMs = (): number => wallMsAt(this.#now());

  readonly randomBytes = (length: number): Uint8Array =>
    Uint8Array.from({ length }, () => this.#options.random.below(256));

  readonly openDisk: Machine["openDisk"] = () =>
    this.#options.disk.open({
      timers: this.timers,
      isAlive: () => this.#isAlive,
      facts: this.durable,
    });

  readonly verifyEnvelope: Machine["verifyEnvelope"] = (
    bytes,
    key,
    signature,
  ) =>
    Buffer.from(signature).equals(
      standInSignature(this.#options.keyBytesOf(key), bytes),
    );

  #now(): number {
    return Math.max(this.#options.queue.now, this.#busyUntil);
  }
}

/** 64 bytes that stand for a signature of Ed25519: a hash over the key and the bytes. Nobody in a simulation forges them. */
export function standInSignature(key: string, bytes: Uint8Array): Uint8Array {
  return createHash("sha512").update(key).update(bytes).digest();
}
