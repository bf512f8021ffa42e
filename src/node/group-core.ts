import type { Effect } from "../protocol/effects.ts";
import type { Event } from "../protocol/events.ts";
import type { Tracer } from "../protocol/machine.ts";
import { handle, isAtRest, type Sequencer } from "../protocol/sequencer.ts";
import type { GroupSchedule } from "./group-schedule.ts";

/** Events of one group that may go before those of groups that began later. */
const RANKED_MAX = 128;

/** The core of one group in the schedule of its node: when it is told of time and blocks, and its place in the queue of the loop. */
export class GroupCore<Group> {
  readonly sequencer: Sequencer;
  /** The group's past is indexed as far as everything else. Until then its height is its own. */
  isCaughtUp: boolean;
  readonly #group: Group;
  readonly #schedule: GroupSchedule<Group>;
  readonly #trace: Tracer<{ readonly state: string }> | undefined;
  #rank = 0;
  /** How many events have that rank. */
  #ranked = 0;
  /** The tick at which it came to rest. */
  #restingSince: number | undefined;

  constructor(
    options: {
      /** As the schedule knows it. */
      readonly group: Group;
      readonly sequencer: Sequencer;
      readonly isCaughtUp: boolean;
    },
    ports: {
      readonly schedule: GroupSchedule<Group>;
      readonly trace?: Tracer<{ readonly state: string }> | undefined;
    },
  ) {
    this.sequencer = options.sequencer;
    this.isCaughtUp = options.isCaughtUp;
    this.#group = options.group;
    this.#schedule = ports.schedule;
    this.#trace = ports.trace;
    this.#schedule.wake(this.#group);
    this.lineUp();
    this.#rest();
  }

  get isResting(): boolean {
    return this.#restingSince !== undefined;
  }

  /** The last block that it knows of, or would if it were not at rest. */
  get height(): number {
    return this.isResting ? this.#schedule.height : this.sequencer.height;
  }

  handle(event: Event): Effect[] {
    this.wake();
    const effects = handle(this.sequencer, event, this.#trace);
    this.#rest();
    return effects;
  }

  /** Catches up with the time and the height of the node, if it was at rest. */
  wake(): void {
    if (this.#restingSince === undefined) return;
    const { ticks, height } = this.#schedule;
    const missed = ticks - this.#restingSince;
    this.#restingSince = undefined;
    this.#schedule.wake(this.#group);
    this.lineUp();
    handle(this.sequencer, { type: "Rested", ticks: missed, height });
  }

  /** Is told nothing of time and blocks, if there is nothing to do. */
  #rest(): void {
    if (!this.isCaughtUp || !isAtRest(this.sequencer)) return;
    this.#restingSince = this.#schedule.ticks;
    this.#schedule.rest(this.#group);
  }

  /**
   * The place of the next event of this group in the queue of the loop. A group that began earlier is served earlier, so that what
   * is begun ends before more is; one that has got something to happen, or asks for too much, goes to the end.
   */
  rankNext(): number {
    if (this.#ranked >= RANKED_MAX) this.lineUp();
    this.#ranked += 1;
    return this.#rank;
  }

  /** Goes to the end of the queue. */
  lineUp(): void {
    this.#rank = this.#schedule.nextRank();
    this.#ranked = 0;
  }
}
