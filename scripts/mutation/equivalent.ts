/**
 * Mutants that change nothing anybody can observe, so that no test can kill them. Each was looked at by a person and
 * carries its reason. An entry that fits no mutant any more fails the run.
 */
export interface Equivalent {
  readonly id: string;
  /** What the mutant replaces, so that an entry cannot drift to another mutant when lines move. */
  readonly original: string;
  readonly reason: string;
}

export const equivalents: readonly Equivalent[] = [];
