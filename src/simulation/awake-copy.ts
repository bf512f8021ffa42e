import { isDeepStrictEqual } from "node:util";

import type { Event } from "../protocol/events.ts";
import { handle, type Sequencer } from "../protocol/sequencer.ts";
import { Violation } from "./violation.ts";

/**
 * S44: a core at rest is told nothing of time and blocks. A copy of it is told all the same: it must not do anything, and must know exactly
 * what the core knows when that has caught up.
 */
export class AwakeCopy {
  #copy: Sequencer | undefined;

  /** Something happened that a core at rest is not told of. */
  tell(sequencer: Sequencer, event: Event): void {
    this.#copy ??= copyOf(sequencer);
    if (handle(this.#copy, event).length > 0)
      throw new Violation("S44", `${sequencer.config.self} would not rest`);
  }

  /** The core has caught up. */
  compare(sequencer: Sequencer): void {
    const copy = this.#copy;
    this.#copy = undefined;
    if (copy === undefined) return;
    if (!isDeepStrictEqual(memoryOf(copy), memoryOf(sequencer)))
      throw new Violation(
        "S44",
        `${sequencer.config.self} differs after a rest up to tick ${copy.tick} and block ${copy.height}`,
      );
  }
}

function copyOf(sequencer: Sequencer): Sequencer {
  const { config, ranking } = sequencer;
  const memory = structuredClone(memoryOf(sequencer));
  return { ...sequencer, ...memory, config, ranking };
}

/** All that changes. */
function memoryOf(sequencer: Sequencer): object {
  return { ...sequencer, config: undefined, ranking: undefined };
}
