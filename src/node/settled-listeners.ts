/** Listeners that are called after every commit that settled something. */
export class SettledListeners {
  readonly #listeners = new Set<() => void>();

  /** Gives what removes the listener. */
  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  readonly tell = (): void => {
    for (const listener of this.#listeners) listener();
  };
}
