import type { Timers } from "./timers.ts";

/** Pauses of something that works in rounds, which others may end early. Whoever wakes it before it sleeps lets it not sleep at all. */
export class Nap {
  readonly #timers: Timers;
  #isWoken = false;
  #wakeUp: () => void = () => undefined;

  constructor(ports: { readonly timers: Timers }) {
    this.#timers = ports.timers;
  }

  /** Resolves after so long, or when somebody wakes it. */
  async sleep(ms: number): Promise<void> {
    if (!this.#isWoken)
      await new Promise<void>((resolve) => {
        const cancel = this.#timers.after(Math.max(1, ms), resolve);
        this.#wakeUp = () => {
          cancel();
          resolve();
        };
      });
    this.#wakeUp = () => undefined;
    this.#isWoken = false;
  }

  readonly wake = (): void => {
    this.#isWoken = true;
    this.#wakeUp();
  };
}
