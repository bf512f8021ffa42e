import type { Timers } from "../async/timers.ts";
import type { Effect } from "../protocol/effects.ts";
import type { Event } from "../protocol/events.ts";
import type { NodeDraft } from "./group-effects.ts";
import type { GroupSchedule } from "./group-schedule.ts";
import type { NodeEvent } from "./node-events.ts";

interface Timed {
  readonly handle: (event: Event) => Effect[];
}

/** Time, as the loop of a node is told of it. */
type TimeEvent = Extract<NodeEvent, { readonly type: "tick" | "delayed" }>;

/** What a tick adds to a batch. */
interface TickDraft {
  readonly afterCommit: (effect: { readonly type: "ticked" }) => void;
}

interface TickingPorts<Group, Draft> {
  readonly timers: Timers;
  readonly loop: {
    readonly post: (event: TimeEvent, rank?: number) => void;
  };
  readonly schedule: GroupSchedule<Group>;
  readonly addEffects: (
    draft: Draft,
    group: Group,
    effects: readonly Effect[],
  ) => void;
  /** It is time to ask again for what nobody has told. */
  readonly onRetry: () => void;
}

/**
 * Tells the groups that are awake of time. A tick waits in the queue behind what came before it, and while one waits there is
 * no other: what a node has not heard yet because it is behind must not look like silence. Others hear from it all the
 * same, as often as ever.
 */
export class Ticking<Group extends Timed, Draft extends TickDraft = NodeDraft> {
  readonly #tickMs: number;
  readonly #heartbeatTicks: number;
  readonly #retryTicks: number;
  readonly #ports: TickingPorts<Group, Draft>;
  #passed = 0;
  #isWaiting = false;
  /** A tick was late since the last heartbeats. */
  #isDelayed = false;
  #isSaying = false;
  #cancel: (() => void) | undefined;

  constructor(
    options: {
      readonly tickMs: number;
      readonly heartbeatTicks: number;
      readonly retryTicks: number;
    },
    ports: TickingPorts<Group, Draft>,
  ) {
    this.#tickMs = options.tickMs;
    this.#heartbeatTicks = options.heartbeatTicks;
    this.#retryTicks = options.retryTicks;
    this.#ports = ports;
  }

  start(): void {
    this.#cancel = this.#ports.timers.after(this.#tickMs, () => {
      this.start();
      this.pass();
    });
  }

  stop(): void {
    this.#cancel?.();
  }

  /** The clock of the machine has ticked. */
  pass(): void {
    this.#passed += 1;
    if (this.#isWaiting) this.#isDelayed = true;
    else this.#tick();
    if (this.#passed % this.#heartbeatTicks === 0 && this.#isDelayed)
      this.#sayThatItIsDelayed();
    if (this.#passed % this.#retryTicks === 0) this.#ports.onRetry();
  }

  #tick(): void {
    const { loop, schedule } = this.#ports;
    this.#isWaiting = true;
    loop.post({ type: "tick" }, schedule.nextRank());
  }

  /** Tells all groups that are awake of a tick. */
  tick(draft: Draft): void {
    this.#ports.schedule.ticks += 1;
    this.#tellAwake(draft, { type: "Tick" });
    draft.afterCommit({ type: "ticked" });
  }

  /** All groups know of the tick, and what they did about it is on the disk. */
  ticked(): void {
    this.#isWaiting = false;
  }

  /** Before everything else, and alone. */
  #sayThatItIsDelayed(): void {
    if (this.#isSaying) return;
    this.#isSaying = true;
    this.#ports.loop.post({ type: "delayed" });
  }

  /** Lets all groups that are awake say that this node is there, though its next tick is late. */
  delay(draft: Draft): void {
    this.#isSaying = false;
    this.#isDelayed = false;
    this.#tellAwake(draft, { type: "Delayed" });
  }

  #tellAwake(draft: Draft, event: Event): void {
    const { schedule, addEffects } = this.#ports;
    for (const group of [...schedule.awake])
      addEffects(draft, group, group.handle(event));
  }
}
