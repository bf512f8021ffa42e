import type { Effect } from "../../protocol/effects.ts";
import type { Event } from "../../protocol/events.ts";
import type { Timers } from "../timers.ts";
import type { Pulse } from "./pulse.ts";
import { type NodeSettings, ticksOf } from "./settings.ts";
import type { Turn, Turns } from "./turns.ts";

interface Told {
  readonly handle: (event: Event) => Effect[];
}

interface TickingPorts<Group> {
  readonly timers: Timers;
  readonly turns: Pick<Turns, "add">;
  readonly pulse: Pulse<Group>;
  readonly deeds: {
    readonly collect: (
      turn: Turn,
      group: Group,
      effects: readonly Effect[],
    ) => void;
  };
  /** All groups know of a tick, and what they did about it is on the disk. */
  readonly onTicked: () => void;
  /** It is time to ask again for what nobody has told. */
  readonly onRetry: () => void;
}

/**
 * Tells the groups that are awake of time. A tick waits in the queue behind what came before it, and while one waits there is
 * no other: what a node has not heard yet because it is behind must not look like silence. Others hear from it all the
 * same, as often as ever.
 */
export class Ticking<Group extends Told> {
  readonly #tickMs: number;
  readonly #heartbeatTicks: number;
  readonly #retryTicks: number;
  readonly #ports: TickingPorts<Group>;
  #passed = 0;
  #isWaiting = false;
  /** A tick was late since the last heartbeats. */
  #isDelayed = false;
  #isSaying = false;
  #cancel: (() => void) | undefined;

  constructor(settings: NodeSettings, ports: TickingPorts<Group>) {
    const { heartbeatTicks, retryTicks } = ticksOf(settings);
    this.#tickMs = settings.tickMs;
    this.#heartbeatTicks = heartbeatTicks;
    this.#retryTicks = retryTicks;
    this.#ports = ports;
  }

  start(): void {
    this.#cancel = this.#ports.timers.after(this.#tickMs, () => {
      this.start();
      this.#pass();
    });
  }

  stop(): void {
    this.#cancel?.();
  }

  #pass(): void {
    this.#passed += 1;
    if (this.#isWaiting) this.#isDelayed = true;
    else this.#tick();
    if (this.#passed % this.#heartbeatTicks === 0 && this.#isDelayed)
      this.#sayThatItIsDelayed();
    if (this.#passed % this.#retryTicks === 0) this.#ports.onRetry();
  }

  /** One job for all groups. */
  #tick(): void {
    const { turns, pulse, onTicked } = this.#ports;
    this.#isWaiting = true;
    turns.add({
      rank: pulse.nextRank(),
      run: (turn) => {
        pulse.ticks += 1;
        this.#tell(turn, { type: "Tick" });
        turn.deeds.push(() => {
          this.#isWaiting = false;
          onTicked();
        });
      },
    });
  }

  /** Before everything else, and alone: so it need not wait until what others write is on the disk. */
  #sayThatItIsDelayed(): void {
    if (this.#isSaying) return;
    this.#isSaying = true;
    this.#ports.turns.add({
      isAlone: true,
      run: (turn) => {
        this.#isSaying = false;
        this.#isDelayed = false;
        this.#tell(turn, { type: "Delayed" });
      },
    });
  }

  #tell(turn: Turn, event: Event): void {
    const { pulse, deeds } = this.#ports;
    for (const group of [...pulse.awake])
      deeds.collect(turn, group, group.handle(event));
  }
}
