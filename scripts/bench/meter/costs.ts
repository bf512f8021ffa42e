import { median } from "../statistics.ts";
import type { Measured, NodeUsage } from "./usage.ts";

/** The coordinator does all the work for all members; every other member does its own. */
export const roles = ["coordinator", "member"] as const;
export type Role = (typeof roles)[number];

/** Milliseconds of CPU for one intent. */
export interface Cost {
  /** All that the process needed meanwhile. */
  readonly all: number;
  /** Its main thread alone. */
  readonly main: number;
  /** All, without what an idle node would have needed in the same time. */
  readonly net: number;
}

export type Costs = Readonly<Record<Role, Cost>>;

/** What an idle node needs, in milliseconds of CPU per second: the mean of all nodes. */
export function idleOf({ seconds, nodes }: Measured): number {
  return meanOf(nodes.map(({ allMs }) => allMs)) / seconds;
}

/** What an intent cost in each role. Undefined if the role moved meanwhile, or a submission failed: that is other work. */
export function costsOf(
  measured: Measured,
  options: { readonly intents: number; readonly idleMsPerSecond: number },
): Costs | undefined {
  const { nodes, seconds, failures } = measured;
  const coordinators = nodes.filter(({ transactions }) => transactions > 0);
  const [coordinator] = coordinators;
  const members = nodes.filter((node) => node !== coordinator);
  if (coordinator === undefined || coordinators.length > 1) return undefined;
  if (members.length === 0 || failures.length > 0) return undefined;
  const { intents, idleMsPerSecond } = options;
  const costOf = (some: readonly NodeUsage[]): Cost => {
    const allMs = meanOf(some.map((node) => node.allMs));
    const mainMs = meanOf(some.map((node) => node.mainMs));
    return {
      all: allMs / intents,
      main: mainMs / intents,
      net: (allMs - idleMsPerSecond * seconds) / intents,
    };
  };
  return { coordinator: costOf([coordinator]), member: costOf(members) };
}

/** The median of several rounds, for each role. */
export function medianCosts(rounds: readonly Costs[]): Costs {
  const of = (role: Role): Cost => ({
    all: median(rounds.map((costs) => costs[role].all)),
    main: median(rounds.map((costs) => costs[role].main)),
    net: median(rounds.map((costs) => costs[role].net)),
  });
  return { coordinator: of("coordinator"), member: of("member") };
}

/** Rounds of two trees that were measured right after each other. */
export interface Pair {
  readonly now: Costs;
  readonly before: Costs;
}

/** The cost now ÷ the cost before, for each role: medians of pairs, so that a slow moment counts for both or for neither. */
export function ratiosOf(pairs: readonly Pair[]): Costs {
  return medianCosts(
    pairs.map(({ now, before }) => {
      const of = (role: Role): Cost => ({
        all: now[role].all / before[role].all,
        main: now[role].main / before[role].main,
        net: now[role].net / before[role].net,
      });
      return { coordinator: of("coordinator"), member: of("member") };
    }),
  );
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
