/** What waits for a peer, bounded in number and in bytes: the oldest make room for the newest. */
export class WireQueue {
  readonly #countMax: number;
  readonly #bytesMax: number;
  /** By number, because taking the first of a long array takes long. */
  readonly #wires = new Map<number, Uint8Array>();
  #first = 0;
  #next = 0;
  #bytes = 0;

  constructor(options: {
    readonly countMax: number;
    readonly bytesMax: number;
  }) {
    this.#countMax = options.countMax;
    this.#bytesMax = options.bytesMax;
  }

  get size(): number {
    return this.#wires.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** How many were lost for it. */
  add(wire: Uint8Array): number {
    this.#wires.set(this.#next++, wire);
    this.#bytes += wire.length;
    let lost = 0;
    while (this.size > this.#countMax || this.#bytes > this.#bytesMax) {
      this.take();
      lost += 1;
    }
    return lost;
  }

  /** The oldest. */
  take(): Uint8Array | undefined {
    const wire = this.#wires.get(this.#first);
    if (wire === undefined) return undefined;
    this.#wires.delete(this.#first++);
    this.#bytes -= wire.length;
    return wire;
  }
}
