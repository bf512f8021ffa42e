import type { Control } from "./control.ts";

/** How long closing may take for users who do not want to wait. */
export const leaveMs = 2_000;

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

/** Closes everything. Users that ask a second time, before or meanwhile, do not wait for it longer than `graceMs`. */
export async function closeOrLeave(
  closers: Closers,
  { left }: Pick<Control, "left">,
  graceMs: number,
): Promise<void> {
  const closed = closers.close();
  closed.catch(() => undefined);
  const gone = left.then(async () => {
    await new Promise<void>((resolve) => setTimeout(resolve, graceMs).unref());
  });
  await Promise.race([closed, gone]);
}
