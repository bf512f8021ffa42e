/** A priority queue of ids: the lowest rank comes first, equal ranks in the order of insertion. */
export interface Heap<Id> {
  readonly entries: {
    readonly rank: number;
    readonly order: number;
    readonly id: Id;
  }[];
  inserted: number;
}

/** An empty queue. */
export function createHeap<Id>(): Heap<Id> {
  return { entries: [], inserted: 0 };
}

/** Inserts an id. */
export function push<Id>(heap: Heap<Id>, rank: number, id: Id): void {
  const { entries } = heap;
  const entry = { rank, order: heap.inserted++, id };
  let index = entries.length;
  entries.push(entry);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = entries[parent];
    if (above === undefined || isBefore(above, entry)) break;
    entries[index] = above;
    index = parent;
  }
  entries[index] = entry;
}

/** The lowest rank, or undefined when the queue is empty. */
export function lowest(heap: Heap<unknown>): number | undefined {
  return heap.entries[0]?.rank;
}

/** Takes out the first id. */
export function pop<Id>(heap: Heap<Id>): Id | undefined {
  const { entries } = heap;
  const first = entries[0];
  const last = entries.pop();
  if (first === undefined || last === undefined || entries.length === 0)
    return first?.id;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    const leftEntry = entries[left];
    if (leftEntry === undefined) break;
    const rightEntry = entries[left + 1];
    const isRight = rightEntry !== undefined && isBefore(rightEntry, leftEntry);
    const child = isRight ? rightEntry : leftEntry;
    if (isBefore(last, child)) break;
    entries[index] = child;
    index = isRight ? left + 1 : left;
  }
  entries[index] = last;
  return first.id;
}

/** Takes out all ids whose rank is at most `rank`. */
export function popUntil<Id>(heap: Heap<Id>, rank: number): Id[] {
  const ids: Id[] = [];
  for (
    let next = lowest(heap);
    next !== undefined && next <= rank;
    next = lowest(heap)
  ) {
    const id = pop(heap);
    if (id !== undefined) ids.push(id);
  }
  return ids;
}

type Entry = Heap<unknown>["entries"][number];

function isBefore(a: Entry, b: Entry): boolean {
  return a.rank < b.rank || (a.rank === b.rank && a.order < b.order);
}
