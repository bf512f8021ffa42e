/** What a mutation run prints. */
import type { Equivalent } from "./equivalent.ts";
import type { Mutant } from "./generate.ts";
import type { Result } from "./run.ts";

const WIDTH = 60;

/** A mutant in one line: what stands where, and what it becomes. */
export function describeMutant(mutant: Mutant): string {
  return `${mutant.id}  ${shorten(mutant.original)} → ${shorten(mutant.replacement) || "nothing"}`;
}

/** A result in one line. */
export function describeResult({ mutant, outcome, by, ms }: Result): string {
  const seconds = `${(ms / 1000).toFixed(1)} s`;
  const cause = by === undefined ? "" : `  (${shorten(by)})`;
  return `${outcome.padEnd(10)} ${seconds.padStart(7)}  ${describeMutant(mutant)}${cause}`;
}

/** How many of each outcome. */
export interface Summary {
  readonly mutants: number;
  readonly killed: number;
  readonly survived: number;
  readonly invalid: number;
  readonly equivalent: number;
  readonly seconds: number;
}

/** Counts outcomes. */
export function summarize(results: readonly Result[], ms: number): Summary {
  const count = (outcome: Result["outcome"]): number =>
    results.filter((result) => result.outcome === outcome).length;
  return {
    mutants: results.length,
    killed: count("killed"),
    survived: count("survived"),
    invalid: count("invalid"),
    equivalent: count("equivalent"),
    seconds: Math.round(ms / 1000),
  };
}

/** The summary as people read it. */
export function describeSummary(summary: Summary): string {
  const { mutants, killed, survived, invalid, equivalent, seconds } = summary;
  return `${mutants} mutants: ${killed} killed, ${survived} survived, ${equivalent} equivalent, ${invalid} invalid, in ${seconds} s`;
}

/** A result as one JSON line. */
export function resultToJson({ mutant, outcome, by, ms }: Result): string {
  const { id, file, line, operator, original, replacement } = mutant;
  const facts = { id, file, line, operator, original, replacement };
  return JSON.stringify({ version: 1, ...facts, outcome, by, ms });
}

/** Entries of the list of equivalent mutants that fit no mutant. */
export function staleEquivalents(
  mutants: readonly Mutant[],
  equivalents: readonly Equivalent[],
): Equivalent[] {
  return equivalents.filter(
    ({ id, original }) =>
      !mutants.some(
        (mutant) => mutant.id === id && mutant.original === original,
      ),
  );
}

function shorten(value: string): string {
  const line = value.replaceAll(/\s+/g, " ").trim();
  return line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line;
}
