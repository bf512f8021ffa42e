interface Entry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * Virtual time: what is to happen, in order. Things that happen at the same moment happen in the order in which they
 * were scheduled. A binary heap.
 */
export class Queue {
  #now = 0;
  #order = 0;
  readonly #heap: Entry[] = [];

  /** Milliseconds since the start. */
  get now(): number {
    return this.#now;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Schedules something `delayMs` from now. */
  after(delayMs: number, run: () => void): void {
    this.#push({
      at: this.#now + Math.max(0, delayMs),
      order: this.#order++,
      run,
    });
  }

  /** Makes the next thing happen. Returns false when there is none. */
  step(): boolean {
    const next = this.#pop();
    if (next === undefined) return false;
    this.#now = next.at;
    next.run();
    return true;
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt];
      if (parent === undefined || !isEarlier(entry, parent)) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || first === undefined || heap.length === 0)
      return first;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      if (left === undefined) break;
      const right = heap[2 * at + 2];
      const isRight = right !== undefined && isEarlier(right, left);
      const child = isRight ? right : left;
      if (!isEarlier(child, last)) break;
      heap[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
    }
    heap[at] = last;
    return first;
  }
}

function isEarlier(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
