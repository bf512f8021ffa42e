/** Longer than anybody waits: the timer only says that somebody does. */
const FOREVER_MS = 2 ** 30;
/** How often to look where nobody tells. */
const LOOK_MS = 10;

/** What somebody waits for. */
interface Awaited {
  readonly node: string;
  /** Why it cannot happen any more, asked after nodes went back to an earlier moment. */
  readonly goneAfterRestore: () => Error | undefined;
}

/**
 * What users wait for. Timers of nodes do not keep the process alive, so a wait does; and whoever waits for something that
 * cannot happen any more is told.
 */
export class Waits {
  /** Calls off a wait; with what it is about. */
  readonly #waiting = new Map<(error: Error) => void, Awaited>();
  #stopped: Error | undefined;

  /**
   * Settles as `done` does, unless the node fails, everything stops, or the nodes go back to a moment from which it cannot
   * happen.
   */
  async until<Result>(
    node: string,
    done: Promise<Result>,
    goneAfterRestore: () => Error | undefined = () => undefined,
  ): Promise<Result> {
    const timer = setInterval(() => undefined, FOREVER_MS);
    let callOff: (error: Error) => void = () => undefined;
    const calledOff = new Promise<never>((_, reject) => {
      callOff = reject;
    });
    this.#waiting.set(callOff, { node, goneAfterRestore });
    if (this.#stopped !== undefined) callOff(this.#stopped);
    try {
      // Who is called off hears it, whatever else happens at the same time.
      return await Promise.race([calledOff, done]);
    } finally {
      this.#waiting.delete(callOff);
      clearInterval(timer);
    }
  }

  /** Resolves when something holds. */
  async untilTrue(holds: () => boolean): Promise<void> {
    await this.until(
      "",
      new Promise<void>((resolve) => {
        const look = (): void => {
          if (this.#stopped !== undefined) return;
          if (holds()) resolve();
          else setTimeout(look, LOOK_MS);
        };
        look();
      }),
    );
  }

  /** A node stopped by itself. */
  fail(node: string, error: Error): void {
    for (const [callOff, about] of this.#waiting)
      if (about.node === node) callOff(error);
  }

  /** The nodes have gone back to an earlier moment. */
  restored(): void {
    for (const [callOff, { goneAfterRestore }] of this.#waiting) {
      const error = goneAfterRestore();
      if (error !== undefined) callOff(error);
    }
  }

  /** Nothing happens any more. */
  stop(error: Error): void {
    this.#stopped = error;
    for (const callOff of this.#waiting.keys()) callOff(error);
  }
}
