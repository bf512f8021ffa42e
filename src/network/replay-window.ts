/** The newest envelope from a peer: in which of the peer's boots, and with which number. */
export interface Mark {
  readonly boot: number;
  readonly sequence: number;
}

/** Whether the first is newer. */
export function isAfter(mark: Mark, other: Mark): boolean {
  return mark.boot === other.boot
    ? mark.sequence > other.sequence
    : mark.boot > other.boot;
}

/** How far an envelope may come behind a newer one. More than a node has on its way to another. */
export const windowSize = 1_024;

/** Which envelopes of one peer came already. Those of an older boot, or too far behind, count as if they had. */
export class ReplayWindow {
  #boot: number;
  #highest: number;
  /** One for each of the last `windowSize` numbers: whether it came. A number has the place of its remainder. */
  readonly #seen = new Uint8Array(windowSize);

  /** Everything up to the mark is refused: nobody remembers which of it came. */
  constructor(mark: Mark = { boot: 0, sequence: 0 }) {
    this.#boot = mark.boot;
    this.#highest = mark.sequence;
    this.#seen.fill(1);
  }

  get mark(): Mark {
    return { boot: this.#boot, sequence: this.#highest };
  }

  isNew({ boot, sequence }: Mark): boolean {
    if (boot !== this.#boot) return boot > this.#boot;
    if (sequence > this.#highest) return true;
    return (
      sequence > this.#highest - windowSize &&
      this.#seen[sequence % windowSize] === 0
    );
  }

  /** To be called for new ones only, and only when they are known to be genuine. */
  accept({ boot, sequence }: Mark): void {
    if (boot > this.#boot) {
      this.#boot = boot;
      this.#highest = sequence;
      this.#seen.fill(0);
    } else if (sequence > this.#highest) {
      if (sequence - this.#highest >= windowSize) this.#seen.fill(0);
      else
        for (let skipped = this.#highest + 1; skipped < sequence; skipped++)
          this.#seen[skipped % windowSize] = 0;
      this.#highest = sequence;
    }
    this.#seen[sequence % windowSize] = 1;
  }
}
