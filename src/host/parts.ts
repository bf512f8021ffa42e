import { NodeRefusal } from "../node/service.ts";

/** A part cannot be started. The reason is the cause. */
export class PartError extends Error {
  readonly part: string;

  constructor(part: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`Cannot start ${part}: ${reason}`, { cause });
    this.name = "PartError";
    this.part = part;
  }
}

/** Why a part cannot be started. Other errors stay as they are. */
export function reasonOf(error: unknown): unknown {
  return error instanceof PartError ? error.cause : error;
}

/** Everything that is open between a start and the next stop. It is closed once, in reverse order. */
export class Parts {
  readonly #closers: (() => unknown)[] = [];
  readonly #opening = new Set<Promise<unknown>>();
  #isBusy = false;
  #isClosing = false;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  /** Whether closing is over. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Opens one more part. It is named as for people: "the store of alice". */
  openNow<Opened>(
    part: string,
    open: () => Opened,
    close: (opened: Opened) => unknown,
  ): Opened {
    return this.attempt(part, () => {
      const opened = open();
      this.#closers.push(() => close(opened));
      return opened;
    });
  }

  /** The same if opening takes a while. If everything is closed meanwhile, so is this, and it rejects. */
  async open<Opened>(
    part: string,
    open: () => Promise<Opened>,
    close: (opened: Opened) => unknown,
  ): Promise<Opened> {
    const opening = this.attempt(part, open).then((opened) => {
      // Closing waits for this.
      this.#closers.push(() => close(opened));
      return opened;
    });
    this.#opening.add(opening);
    try {
      const opened = await opening;
      return this.attempt(part, () => opened);
    } catch (error) {
      throw error instanceof PartError ? error : new PartError(part, error);
    } finally {
      this.#opening.delete(opening);
    }
  }

  /** Does a step of a start, and names the part if it fails. */
  attempt<Result>(part: string, run: () => Result): Result {
    this.#isBusy = true;
    try {
      if (this.#isClosing) throw new NodeRefusal("It was stopped meanwhile.");
      return run();
    } catch (error) {
      throw new PartError(part, error);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Takes over something that is open already. If everything else is closed, it is closed at once. */
  async add(close: () => unknown): Promise<void> {
    if (this.#isClosing) await close();
    else this.#closers.push(close);
  }

  /** Closes everything, whatever goes wrong on the way, and then throws the first error. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    // Somebody who is called in the middle of a start ends it: its step comes to its end first.
    if (this.#isBusy) await Promise.resolve();
    if (this.#opening.size > 0) await Promise.allSettled(this.#opening);
    const errors: unknown[] = [];
    for (const close of this.#closers.splice(0).reverse())
      try {
        const closing = close();
        // A start that fails can be tried again at once if nothing takes a while to close.
        if (closing instanceof Promise) await closing;
      } catch (error) {
        errors.push(error);
      }
    this.#isClosed = true;
    if (errors.length > 0) throw errors[0];
  }
}
