/** Wakes a loop. A ring that nobody waits for is kept, so none is missed; several are one. */
export class Bell {
  #isRung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  /** Resolves at the next ring, or at once if there was one since the last time. */
  async wait(): Promise<void> {
    if (!this.#isRung)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#wake = undefined;
    this.#isRung = false;
  }
}
