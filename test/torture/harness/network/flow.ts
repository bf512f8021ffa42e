import type { Socket } from "node:net";

/** How bytes go in one direction. */
export interface Pace {
  /** Nothing goes while this holds. */
  readonly isHeld: boolean;
  readonly delayMs: number;
  readonly bytesPerSecond: number;
}

export const freely: Pace = {
  isHeld: false,
  delayMs: 0,
  bytesPerSecond: Infinity,
};

/** What may wait in one direction; more is left in the kernel, so that who sends notices. */
const WAITING_BYTES_MAX = 256 * 1_024;

interface Waiting {
  readonly bytes: Buffer;
  readonly dueMs: number;
}

/** Carries the bytes of one direction of a connection, in order, as a pace says. Nothing is lost: TCP loses nothing. */
export class Flow {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #pace: Pace;
  #freeAtMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(
    options: { readonly pace: Pace },
    ports: { readonly from: Socket; readonly to: Socket },
  ) {
    this.#pace = options.pace;
    this.#from = ports.from;
    this.#to = ports.to;
    this.#from.on("data", (bytes: Buffer) => {
      this.#take(bytes);
    });
    this.#from.on("end", () => {
      this.#isEnded = true;
      this.#carry();
    });
    this.#to.on("drain", () => {
      this.#carry();
    });
  }

  set pace(pace: Pace) {
    this.#pace = pace;
    this.#carry();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
    this.#isEnded = false;
  }

  #take(bytes: Buffer): void {
    this.#waiting.push({
      bytes,
      dueMs: performance.now() + this.#pace.delayMs,
    });
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > WAITING_BYTES_MAX) this.#from.pause();
    this.#carry();
  }

  #carry(): void {
    clearTimeout(this.#timer);
    while (!this.#pace.isHeld) {
      const next = this.#waiting[0];
      if (next === undefined) {
        if (this.#isEnded && !this.#to.destroyed) this.#to.end();
        return;
      }
      const now = performance.now();
      const waitMs = Math.max(next.dueMs, this.#freeAtMs) - now;
      if (waitMs > 0) {
        this.#timer = setTimeout(() => {
          this.#carry();
        }, waitMs);
        return;
      }
      if (this.#to.writableNeedDrain) return;
      this.#waiting.shift();
      this.#waitingBytes -= next.bytes.length;
      this.#freeAtMs =
        now + (1_000 * next.bytes.length) / this.#pace.bytesPerSecond;
      this.#to.write(next.bytes);
      if (this.#waitingBytes <= WAITING_BYTES_MAX) this.#from.resume();
    }
  }
}
