import type { RunFact } from "../../src/view/facts.ts";

/** What the facts so far add up to. */
export interface Totals {
  readonly confirmed: number;
  readonly reverted: number;
  readonly bundles: number;
  readonly rotations: number;
  /** The last node that became the coordinator. */
  readonly coordinator: string | undefined;
}

/** Nothing has happened yet. */
export const noTotals: Totals = {
  confirmed: 0,
  reverted: 0,
  bundles: 0,
  rotations: 0,
  coordinator: undefined,
};

/** Adds a fact. */
export function addFact(totals: Totals, fact: RunFact): Totals {
  switch (fact.type) {
    case "settled":
      return fact.outcome === "confirmed"
        ? { ...totals, confirmed: totals.confirmed + 1 }
        : { ...totals, reverted: totals.reverted + 1 };
    case "dispatched":
      return { ...totals, bundles: totals.bundles + 1 };
    case "coordinator": {
      const { node, to } = fact;
      const { coordinator, rotations } = totals;
      if (to !== "Active" || node === coordinator) return totals;
      return {
        ...totals,
        coordinator: node,
        rotations: coordinator === undefined ? rotations : rotations + 1,
      };
    }
    case "network":
    case "group":
    case "node":
    case "ready":
    case "workload":
    case "block":
    case "blocks-reverted":
    case "signatures-slow":
    case "chain-trouble":
    case "payer-trouble":
    case "endorser-trouble":
    case "domain-failed":
    case "group-missing":
    case "group-refused":
    case "accepted":
    case "submission-failed":
    case "status":
    case "stopping":
    case "summary":
      return totals;
  }
}
