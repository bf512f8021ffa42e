// A node numbers its intents one after the other in a lane, so most lists of ids are runs: on the wire a run is its first id and
// how many follow, as in `0x…0064+93`.

/** Digits of an id that count within a run. */
const COUNTED = 8;
const COUNT_END = 16 ** COUNTED;
const FOLLOWED = /^(0x[0-9a-f]{56})([0-9a-f]{8})\+([1-9][0-9]{0,8})$/;

/** Calls back for every run in a list, with the item that begins it and how many follow. */
function forRuns<Item>(
  items: readonly Item[],
  {
    idOf,
    isSame,
    onRun,
  }: {
    readonly idOf: (item: Item) => string;
    /** Whether all that is said of two items besides their ids is the same. */
    readonly isSame: (one: Item, other: Item) => boolean;
    readonly onRun: (id: string, item: Item) => void;
  },
): void {
  let at = 0;
  for (let first = items[0]; first !== undefined; first = items[at]) {
    const id = idOf(first);
    const head = id.slice(0, -COUNTED);
    const number = Number.parseInt(id.slice(-COUNTED), 16);
    let count = 1;
    for (;;) {
      const next = items[at + count];
      if (next === undefined || !isSame(first, next)) break;
      if (idOf(next) !== idAfter(head, number + count)) break;
      count += 1;
    }
    onRun(count === 1 ? id : `${id}+${count - 1}`, first);
    at += count;
  }
}

/** The id that comes next in the lane; undefined behind the last one that is counted. */
export function nextIdOf(id: string): string | undefined {
  const number = Number.parseInt(id.slice(-COUNTED), 16) + 1;
  return number < COUNT_END
    ? idAfter(id.slice(0, -COUNTED), number)
    : undefined;
}

function idAfter(head: string, number: number): string {
  return head + number.toString(16).padStart(COUNTED, "0");
}

/** Writes a list of ids as runs. */
export function packIds(ids: readonly string[]): readonly string[] {
  const runs: string[] = [];
  forRuns(ids, {
    idOf: (id) => id,
    isSame: () => true,
    onRun: (run) => runs.push(run),
  });
  return runs;
}

/** Writes a list of items with ids as runs of items of which the same is said. */
export function packItems<Stage>(
  items: readonly { readonly id: string; readonly stage: Stage }[],
): readonly { readonly id: string; readonly stage: Stage }[] {
  const runs: { readonly id: string; readonly stage: Stage }[] = [];
  forRuns(items, {
    idOf: ({ id }) => id,
    isSame: (one, other) => one.stage === other.stage,
    onRun: (id, { stage }) => runs.push({ id, stage }),
  });
  return runs;
}

/** The ids of a run. Undefined if there are more than `countMax`; anything that is not a run is left as it is. */
function idsOf(run: unknown, countMax: number): readonly unknown[] | undefined {
  const [, head, first, more] =
    (typeof run === "string" ? FOLLOWED.exec(run) : null) ?? [];
  if (head === undefined || first === undefined)
    return countMax < 1 ? undefined : [run];
  const count = Number(more) + 1;
  const number = Number.parseInt(first, 16);
  if (count > countMax || number + count > COUNT_END) return undefined;
  return Array.from({ length: count }, (_, i) => idAfter(head, number + i));
}

/** Reads what `packIds` wrote. Undefined if it is not a list, or one of too many ids; each of them is still to be checked. */
export function unpackIds(runs: unknown, countMax: number): unknown {
  if (!Array.isArray(runs)) return undefined;
  const ids: unknown[] = [];
  for (const run of runs as readonly unknown[]) {
    const own = idsOf(run, countMax - ids.length);
    if (own === undefined) return undefined;
    for (const id of own) ids.push(id);
  }
  return ids;
}

/** Reads what `packItems` wrote. */
export function unpackItems(runs: unknown, countMax: number): unknown {
  if (!Array.isArray(runs)) return undefined;
  const items: unknown[] = [];
  for (const run of runs as readonly unknown[]) {
    if (typeof run !== "object" || run === null) return undefined;
    const { id: first, stage } = run as Readonly<Record<string, unknown>>;
    const own = idsOf(first, countMax - items.length);
    if (own === undefined) return undefined;
    for (const id of own) items.push({ id, stage });
  }
  return items;
}
