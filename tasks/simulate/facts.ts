import type { SimulationResult } from "../../src/simulation/simulate.ts";

type Statistics = SimulationResult["statistics"];

/** What the runs so far add up to. */
export interface Totals {
  readonly runs: number;
  readonly confirmed: number;
  readonly reverted: number;
  /** Endorsed for their users, who have not executed them. */
  readonly prepared: number;
  /** Without a receipt: parked, refused, or accepted by a node that is gone. */
  readonly open: number;
  readonly handovers: number;
  readonly coordinatorChanges: number;
  readonly dispatches: number;
  readonly ledgerReverts: number;
  readonly messages: number;
  readonly commits: number;
  readonly events: number;
  readonly virtualMs: number;
  readonly faults: Readonly<Record<string, number>>;
  /** Runs in which somebody lied, by the kind of liar. */
  readonly liars: Readonly<Record<string, number>>;
}

/** A property did not hold. */
export type ViolationFact = Extract<
  SimulateFact,
  { readonly type: "violation" }
>;

/** What `sequencer:simulate` tells. */
export type SimulateFact =
  | {
      readonly type: "run";
      readonly seed: number;
      readonly traceHash: string;
      readonly lane: "core" | "whole";
      /** What the seed drew: nodes, policy, and in the whole lane groups with their domains and members. */
      readonly setup: SimulationResult["setup"];
      /** Who lied, of which kind, and whether until the end; missing if nobody did. */
      readonly liar?: SimulationResult["liar"];
      readonly statistics: Statistics;
    }
  | {
      readonly type: "violation";
      readonly seed: number;
      readonly property: string;
      readonly meaning: string;
      readonly message: string;
      readonly atMs: number;
      readonly nodes: number;
      readonly threshold: number;
      readonly mode: string;
      readonly policy: string;
      readonly lane: "core" | "whole";
      readonly groups?: SimulationResult["setup"]["groups"];
      readonly liar?: SimulationResult["liar"];
      /** The last things that happened. */
      readonly transcript: readonly string[];
      readonly command: string;
    }
  /** A page was written. */
  | {
      readonly type: "transcript";
      readonly seed: number;
      readonly file: string;
      readonly lines: number;
    }
  | Summary;

/** The last fact. */
export interface Summary {
  readonly type: "summary";
  readonly firstSeed: number;
  readonly seeds: number;
  readonly lane: "core" | "whole";
  readonly faults: string;
  /** What the seed drew, if there was only one. */
  readonly setup?: SimulationResult["setup"];
  readonly liar?: SimulationResult["liar"];
  readonly isViolated: boolean;
  readonly totals: Totals;
  /** Real time. It says nothing about correctness, and differs from run to run. */
  readonly elapsedMs: number;
}

/** Nothing has run yet. */
export const noTotals: Totals = {
  runs: 0,
  confirmed: 0,
  reverted: 0,
  prepared: 0,
  open: 0,
  handovers: 0,
  coordinatorChanges: 0,
  dispatches: 0,
  ledgerReverts: 0,
  messages: 0,
  commits: 0,
  events: 0,
  virtualMs: 0,
  faults: {},
  liars: {},
};

/** Adds a run. */
export function addRun(
  totals: Totals,
  run: Statistics,
  liar?: SimulationResult["liar"],
): Totals {
  const liars: Record<string, number> = { ...totals.liars };
  if (liar !== undefined) liars[liar.kind] = (liars[liar.kind] ?? 0) + 1;
  const faults: Record<string, number> = { ...totals.faults };
  for (const [kind, count] of Object.entries(run.faults))
    faults[kind] = (faults[kind] ?? 0) + count;
  return {
    runs: totals.runs + 1,
    confirmed: totals.confirmed + run.confirmed,
    reverted: totals.reverted + run.reverted,
    prepared: totals.prepared + run.prepared,
    open: totals.open + run.parked,
    handovers: totals.handovers + run.handovers,
    coordinatorChanges: totals.coordinatorChanges + run.coordinatorChanges,
    dispatches: totals.dispatches + run.dispatches,
    ledgerReverts: totals.ledgerReverts + run.ledgerReverts,
    messages: totals.messages + run.sends,
    commits: totals.commits + run.commits,
    events: totals.events + run.events,
    virtualMs: totals.virtualMs + run.virtualMs,
    faults,
    liars,
  };
}
