/**
 * The time and the height of a node, as its groups are told of them, and the groups that want to know. A group at rest is
 * told of neither; before anything else happens to it, it catches up with both.
 */
export class Pulse<Group> {
  /** Groups that wait for something. */
  readonly awake = new Set<Group>();
  ticks = 0;
  height: number;

  constructor(height: number) {
    this.height = height;
  }
}
