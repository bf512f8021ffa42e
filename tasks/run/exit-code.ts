import type { RunSummary } from "../../src/view/facts.ts";

/** What the process ends with. Errors end it with 1, by being thrown. */
export function exitCodeOf({ reason, workload, intents }: RunSummary): number {
  if (reason === "left") return 130;
  if (reason === "timeout") return 4;
  // Intents that users bring are theirs to judge.
  return workload !== null && intents.reverted > 0 ? 3 : 0;
}
