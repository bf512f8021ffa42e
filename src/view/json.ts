import type { RunFact } from "./facts.ts";
import type { StatusFact } from "./status.ts";
import type { SubmitFact } from "./submit.ts";

/** Rises when a line of `--json` changes in a way that readers must know. */
export const jsonVersion = 1;

/** A fact as one line of JSON. */
export function toJson(fact: RunFact | StatusFact | SubmitFact): string {
  return JSON.stringify({ version: jsonVersion, ...fact });
}
