/** Whose job it is. */
export interface Owner {
  readonly group: string;
  readonly member: string;
}

/** Jobs that wait, taken in turn of groups, and within a group in turn of its members: nobody waits for all jobs of another. */
export class FairQueue<Item> {
  readonly #waitingMax: number;
  /** By group and member; those whose turn is next come first. */
  readonly #groups = new Map<string, Map<string, Item[]>>();

  constructor(options: { readonly waitingMax: number }) {
    this.#waitingMax = options.waitingMax;
  }

  /** Whether there was room: a member has only so much of it. */
  push({ group, member }: Owner, item: Item): boolean {
    const members = this.#groups.get(group) ?? new Map<string, Item[]>();
    const items = members.get(member) ?? [];
    if (items.length >= this.#waitingMax) return false;
    items.push(item);
    members.set(member, items);
    this.#groups.set(group, members);
    return true;
  }

  /** The next item of an owner that may have one taken; undefined if there is none. */
  take(mayRun: (owner: Owner) => boolean): Item | undefined {
    for (const [group, members] of this.#groups)
      for (const [member, items] of members) {
        if (!mayRun({ group, member })) continue;
        const item = items.shift();
        members.delete(member);
        if (items.length > 0) members.set(member, items);
        this.#groups.delete(group);
        if (members.size > 0) this.#groups.set(group, members);
        return item;
      }
    return undefined;
  }

  /** Takes everything. */
  drain(): Item[] {
    const all = [...this.#groups.values()].flatMap((members) => [
      ...members.values(),
    ]);
    this.#groups.clear();
    return all.flat();
  }
}
