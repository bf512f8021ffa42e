import { isDeepStrictEqual } from "node:util";

import type { Effect } from "../protocol/effects.ts";
import type { Event } from "../protocol/events.ts";
import { handle, isAtRest, type Sequencer } from "../protocol/sequencer.ts";
import { Violation } from "./violation.ts";

/** A core as it was when it came to rest, and what it was not told of since. */
interface Sleep {
  readonly sequencer: Sequencer;
  ticks: number;
  height: number;
}

/**
 * S44: the core is told of every tick and block. Whoever runs it need not, while it is at rest: a copy of it sleeps until
 * something else happens, and then must know exactly what the core knows.
 */
export class Sleeper {
  #sleep: Sleep | undefined;

  /** Something is about to happen to the core. */
  before(sequencer: Sequencer, event: Event): void {
    if (!mayBeMissed(event)) this.#wake(sequencer);
    else if (this.#sleep === undefined && isAtRest(sequencer))
      this.#sleep = fallAsleep(sequencer);
  }

  /** It happened. */
  after(sequencer: Sequencer, event: Event, effects: readonly Effect[]): void {
    const sleep = this.#sleep;
    if (sleep === undefined) return;
    if (effects.length > 0)
      throw new Violation("S44", `${sequencer.config.self} acts in its sleep`);
    if (event.type === "Tick") sleep.ticks += 1;
    if (event.type === "BlockSeen") sleep.height = event.height;
  }

  #wake(sequencer: Sequencer): void {
    const sleep = this.#sleep;
    if (sleep === undefined) return;
    this.#sleep = undefined;
    const { ticks, height } = sleep;
    const effects = handle(sleep.sequencer, { type: "Rested", ticks, height });
    if (
      effects.length > 0 ||
      !isDeepStrictEqual(memoryOf(sleep.sequencer), memoryOf(sequencer))
    )
      throw new Violation(
        "S44",
        `${sequencer.config.self} differs after a rest of ${ticks} ticks up to block ${height}`,
      );
  }
}

function fallAsleep(sequencer: Sequencer): Sleep {
  const { config, ranking, height } = sequencer;
  const memory = structuredClone(memoryOf(sequencer));
  const copy = { ...sequencer, ...memory, config, ranking };
  return { sequencer: copy, ticks: 0, height };
}

/** Whether it may be kept back from a group at rest. */
function mayBeMissed(event: Event): boolean {
  return (
    event.type === "Tick" ||
    event.type === "Delayed" ||
    (event.type === "BlockSeen" && event.facts.length === 0)
  );
}

/** All that changes. */
function memoryOf(sequencer: Sequencer): object {
  return { ...sequencer, config: undefined, ranking: undefined };
}
