import type { Timers } from "../async/timers.ts";
import {
  type Draw,
  type LinkFaults,
  type LossReason,
  noFaults,
} from "./link-faults.ts";

/** The way from one node to another: in order, unless its faults say otherwise. */
export class Link {
  faults: LinkFaults = noFaults;
  readonly #queueMax: number;
  readonly #timers: Timers;
  readonly #draw: Draw;
  readonly #deliver: (wire: Uint8Array) => void;
  readonly #lose: (reason: LossReason) => void;
  /** All that is on its way, oldest first, each with what cancels its timer, if it has one of its own. */
  readonly #underWay = new Map<
    number,
    { readonly wire: Uint8Array; readonly cancel: (() => void) | undefined }
  >();
  /** Those without delay share one timer. */
  #waiting: number[] = [];
  #cancelFlush: (() => void) | undefined;
  #next = 0;

  constructor(
    options: { readonly queueMax: number },
    ports: {
      readonly timers: Timers;
      readonly draw: Draw;
      readonly deliver: (wire: Uint8Array) => void;
      readonly lose: (reason: LossReason) => void;
    },
  ) {
    this.#queueMax = options.queueMax;
    this.#timers = ports.timers;
    this.#draw = ports.draw;
    this.#deliver = ports.deliver;
    this.#lose = ports.lose;
  }

  /** How many are on their way. */
  get size(): number {
    return this.#underWay.size;
  }

  carry(wire: Uint8Array): void {
    if (this.faults.isCut) {
      this.#lose("cut");
      return;
    }
    if (this.#chance(this.faults.drop)) {
      this.#lose("dropped");
      return;
    }
    this.#enqueue(wire);
    if (this.#chance(this.faults.duplicate)) this.#enqueue(wire);
  }

  /** Forgets all that is on its way, and leaves no timer. */
  stop(): void {
    for (const { cancel } of this.#underWay.values()) cancel?.();
    this.#underWay.clear();
    this.#waiting = [];
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
  }

  #chance(probability: number): boolean {
    return probability > 0 && this.#draw.fraction() < probability;
  }

  #enqueue(wire: Uint8Array): void {
    if (this.#underWay.size >= this.#queueMax) this.#loseOldest();
    const number = this.#next++;
    const { min, max } = this.faults.delayMs;
    const delayMs =
      min +
      (max > min ? Math.floor(this.#draw.fraction() * (max - min + 1)) : 0);
    if (delayMs > 0) {
      const cancel = this.#timers.after(delayMs, () => {
        this.#arrive(number);
      });
      this.#underWay.set(number, { wire, cancel });
      return;
    }
    this.#underWay.set(number, { wire, cancel: undefined });
    this.#waiting.push(number);
    this.#cancelFlush ??= this.#timers.after(0, () => {
      this.#flush();
    });
  }

  #loseOldest(): void {
    for (const [number, { cancel }] of this.#underWay) {
      cancel?.();
      this.#underWay.delete(number);
      this.#lose("full");
      return;
    }
  }

  #flush(): void {
    const numbers = this.#waiting;
    this.#waiting = [];
    this.#cancelFlush = undefined;
    for (const number of numbers) this.#arrive(number);
  }

  #arrive(number: number): void {
    const item = this.#underWay.get(number);
    if (item === undefined) return;
    this.#underWay.delete(number);
    if (this.faults.isCut) this.#lose("cut");
    else this.#deliver(item.wire);
  }
}
