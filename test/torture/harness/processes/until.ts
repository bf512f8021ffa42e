import { setTimeout } from "node:timers/promises";

/** How long to wait for something, and what it is, for the error. */
export interface Wait {
  readonly what: string;
  readonly deadlineMs: number;
  readonly everyMs?: number;
}

/** Resolves with what `look` finds, as soon as it finds something. What `look` throws counts as nothing found. */
export async function until<Found>(
  wait: Wait,
  look: () => Promise<Found | undefined> | Found | undefined,
): Promise<Found> {
  const deadline = performance.now() + wait.deadlineMs;
  let cause: unknown;
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined) return found;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadline)
      throw new Error(`After ${wait.deadlineMs} ms still not: ${wait.what}.`, {
        cause,
      });
    await setTimeout(wait.everyMs ?? 50);
  }
}
