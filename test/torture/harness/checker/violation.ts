import type { Evidence } from "../evidence/evidence.ts";

/** A property that does not hold. The names are those of the list of properties. */
export interface Violation {
  readonly property: string;
  readonly what: string;
}

/** Looks at one thing. */
export type Check = (evidence: Evidence) => readonly Violation[];

/** Ids are shortened: a report is for people. */
export function short(id: string): string {
  return id.length > 20 ? `${id.slice(0, 14)}…` : id;
}
