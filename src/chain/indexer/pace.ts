import type { Header } from "../values.ts";
import { BlockTimes } from "./block-times.ts";
import { Rhythm } from "./rhythm.ts";

/** Simulated chains make blocks when somebody wants one, and cost nothing to ask. */
const SIMULATED_POLL_MS = 100;

/** Other chains are shared with others, and every request to a hosted one is counted. */
export const politePace = {
  /** Before the time between blocks is known. */
  unknownMs: 2_000,
  leastMs: 1_000,
  /** After a block. With the deadline of a request it is below 15 s, so that a chain that hangs is found out by then. */
  freshMsMax: 9_000,
  /** After a look that found nothing new. */
  staleMsMax: 6_000,
} as const;

/** What was seen of the chain. */
export interface Look {
  readonly isNew: boolean;
  /** It looked because it was time, and not because somebody woke it. */
  readonly isUnasked: boolean;
  readonly header: Pick<Header, "number" | "timestamp">;
}

/** How long to wait before the next look at a chain that does not tell of its blocks: no longer than is worth it. */
export class Pace {
  /** Undefined: what suits the chain. */
  readonly #wantedMs: number | undefined;
  readonly #times = new BlockTimes();
  /** Undefined where looks are to be seconds apart: that is wanted for few requests, however fast blocks come. */
  readonly #rhythm: Rhythm | undefined;
  #isSimulated: boolean | undefined;
  #ms: number;

  constructor(options: { readonly pollMs: number | undefined }) {
    this.#wantedMs = options.pollMs;
    this.#ms = options.pollMs ?? politePace.unknownMs;
    const { pollMs = SIMULATED_POLL_MS } = options;
    this.#rhythm =
      pollMs < politePace.leastMs ? new Rhythm({ pollMs }) : undefined;
  }

  get ms(): number {
    return this.#ms;
  }

  /** It is known now what kind of chain it is. */
  meet({ isSimulated }: { readonly isSimulated: boolean }): void {
    if (this.#wantedMs !== undefined || this.#isSimulated === isSimulated)
      return;
    this.#isSimulated = isSimulated;
    if (isSimulated) this.#ms = SIMULATED_POLL_MS;
  }

  see({ isNew, isUnasked, header }: Look): void {
    if (isUnasked) this.#times.wait(this.#ms);
    if (isNew) this.#times.see(header);
    const isPolite =
      this.#wantedMs === undefined &&
      (this.#isSimulated !== true || this.#times.isSlowAndRegular);
    if (isPolite) this.#ms = this.#politeMs(isNew);
    else if (this.#rhythm === undefined) return;
    // A chain that tells of its blocks need not be asked more often.
    else if (isUnasked)
      this.#ms = isNew
        ? this.#rhythm.found(header.number, this.#ms)
        : this.#rhythm.missed(this.#ms);
    else if (isNew) this.#rhythm.told(header.number);
  }

  /** About one look in two finds a block, and it does so less than a third of the time between blocks too late. */
  #politeMs(isNew: boolean): number {
    const { unknownMs, leastMs, freshMsMax, staleMsMax } = politePace;
    const { blockMs } = this.#times;
    if (blockMs === undefined) return unknownMs;
    const [ms, mostMs] = isNew
      ? [blockMs * 0.75, freshMsMax]
      : [blockMs / 3, staleMsMax];
    return Math.min(Math.max(ms, leastMs), mostMs);
  }
}
