/** Pauses that grow while things go wrong. */
export class Backoff {
  readonly #firstMs: number;
  readonly #lastMs: number;
  #nextMs: number;

  constructor(options: { readonly firstMs: number; readonly lastMs: number }) {
    this.#firstMs = options.firstMs;
    this.#lastMs = options.lastMs;
    this.#nextMs = options.firstMs;
  }

  /** The pause to take now. */
  next(): number {
    const pauseMs = this.#nextMs;
    this.#nextMs = Math.min(2 * pauseMs, this.#lastMs);
    return pauseMs;
  }

  reset(): void {
    this.#nextMs = this.#firstMs;
  }
}
