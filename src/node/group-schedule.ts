/**
 * The time and the height of a node, as its groups are told of them, and the groups that want to know. A group at rest is
 * told of neither; before anything else happens to it, it catches up with both.
 */
export class GroupSchedule<Group> {
  /** Groups that wait for something. */
  readonly awake = new Set<Group>();
  /** The other ones in memory, those that were used last at the end. */
  readonly resting = new Set<Group>();
  ticks = 0;
  height: number;
  /** The last place in the queue of the loop that was given to a group. */
  #lastRank = 0;

  constructor(height: number) {
    this.height = height;
  }

  wake(group: Group): void {
    this.resting.delete(group);
    this.awake.add(group);
  }

  rest(group: Group): void {
    this.awake.delete(group);
    this.resting.add(group);
  }

  /** The end of the queue. */
  nextRank(): number {
    return ++this.#lastRank;
  }

  /** Somebody is interested in a group. */
  use(group: Group): void {
    if (this.resting.delete(group)) this.resting.add(group);
  }
}
