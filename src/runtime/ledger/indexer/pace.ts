/** However fast blocks come, a chain is not asked more often. */
const LEAST_MS = 10;

/** How long to wait before the next look at a chain that does not tell of its blocks: no longer than is worth it. */
export class Pace {
  readonly #pollMs: number;
  #ms: number;

  constructor(options: { readonly pollMs: number }) {
    this.#pollMs = options.pollMs;
    this.#ms = options.pollMs;
  }

  get ms(): number {
    return this.#ms;
  }

  /** With these factors, about one look in four finds a block, if blocks come faster than is looked for them otherwise. */
  see({ isNew }: { readonly isNew: boolean }): void {
    const next = isNew ? this.#ms / 2 : this.#ms * 1.25;
    this.#ms = Math.min(this.#pollMs, Math.max(LEAST_MS, next));
  }
}
