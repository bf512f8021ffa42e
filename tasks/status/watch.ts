import type { StatusFact } from "../../src/view/status.ts";
import type { StatusSource } from "./ask-status.ts";

/** What watching needs of the world. */
export interface WatchPorts {
  readonly show: (facts: readonly StatusFact[]) => void;
  /** Resolves when it is time to ask again. */
  readonly pause: () => Promise<unknown>;
  /** Resolves when nobody watches any more. */
  readonly stopped: Promise<void>;
}

/** Asks and shows again and again, and gives the last facts. */
export async function watchStatus(
  source: StatusSource,
  { show, pause, stopped }: WatchPorts,
): Promise<readonly StatusFact[]> {
  const end = stopped.then(() => "stopped" as const);
  let last: readonly StatusFact[] = [];
  for (;;) {
    const facts = await Promise.race([source.ask(), end]);
    if (facts === "stopped") return last;
    last = facts;
    show(facts);
    if ((await Promise.race([pause(), end])) === "stopped") return last;
  }
}
