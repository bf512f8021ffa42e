interface Times {
  readonly acceptedMs: number;
  dispatchedMs: number | undefined;
}

/** How long an intent took. */
export interface Durations {
  readonly sinceAcceptedSeconds: number;
  readonly sinceDispatchedSeconds: number | undefined;
}

/** Times intents from stage to stage. Those that never end are forgotten, the oldest first. */
export class StageClock {
  readonly #times = new Map<string, Times>();
  readonly #intentsMax: number;
  readonly #onForgotten: () => void;

  constructor(
    options: { readonly intentsMax: number },
    ports: { readonly onForgotten: () => void },
  ) {
    this.#intentsMax = options.intentsMax;
    this.#onForgotten = ports.onForgotten;
  }

  get size(): number {
    return this.#times.size;
  }

  /** The same intent may be accepted again: the first time counts. */
  accept(id: string, nowMs: number): void {
    if (this.#times.has(id)) return;
    this.#times.set(id, { acceptedMs: nowMs, dispatchedMs: undefined });
    if (this.#times.size <= this.#intentsMax) return;
    const [oldest] = this.#times.keys();
    if (oldest !== undefined) this.#times.delete(oldest);
    this.#onForgotten();
  }

  /** Gives the seconds since it was accepted, the first time only. */
  dispatch(id: string, nowMs: number): number | undefined {
    const times = this.#times.get(id);
    if (times === undefined) return undefined;
    const isFirst = times.dispatchedMs === undefined;
    times.dispatchedMs = nowMs;
    return isFirst ? secondsBetween(times.acceptedMs, nowMs) : undefined;
  }

  /** Ends the timing; undefined if it was not timed, for example because it was accepted before a restart. */
  end(id: string, nowMs: number): Durations | undefined {
    const times = this.#times.get(id);
    if (times === undefined) return undefined;
    this.#times.delete(id);
    const { acceptedMs, dispatchedMs } = times;
    return {
      sinceAcceptedSeconds: secondsBetween(acceptedMs, nowMs),
      sinceDispatchedSeconds:
        dispatchedMs === undefined
          ? undefined
          : secondsBetween(dispatchedMs, nowMs),
    };
  }
}

function secondsBetween(fromMs: number, toMs: number): number {
  return Math.max(0, toMs - fromMs) / 1_000;
}
