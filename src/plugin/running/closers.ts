/** What must be closed, latest first. What is opened after closing is closed at once. */
export class Closers {
  readonly #closers: (() => unknown)[] = [];
  #isClosed = false;

  async add(close: () => unknown): Promise<void> {
    if (this.#isClosed) await close();
    else this.#closers.push(close);
  }

  /** Closes everything, whatever goes wrong on the way, and then throws the first error. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const errors: unknown[] = [];
    for (const close of this.#closers.splice(0).reverse())
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    if (errors.length > 0) throw errors[0];
  }
}
