import type { NodeFact } from "../node/ports.ts";
import type { Settlement } from "../node/service.ts";
import { monitorLimits } from "./limits.ts";
import type { Metrics } from "./metrics.ts";
import { StageClock } from "./stage-clock.ts";

/** Counts what a node tells, and times its intents. */
export class FactMetrics {
  readonly #metrics: Metrics;
  readonly #now: () => number;
  readonly #clock: StageClock;
  readonly #payersInTrouble = new Set<string>();

  constructor(ports: {
    readonly metrics: Metrics;
    readonly now: () => number;
  }) {
    const { metrics } = ports;
    this.#metrics = metrics;
    this.#now = ports.now;
    this.#clock = new StageClock(
      { intentsMax: monitorLimits.timedIntents },
      {
        onForgotten: () => {
          metrics.count("sequencer_intents_untimed_total");
        },
      },
    );
    for (const kind of ["chain", "payer", "endorser"])
      metrics.set("sequencer_trouble", 0, kind);
    for (const cause of ["start", "handover", "failover"])
      metrics.count("sequencer_takeovers_total", 0, cause);
    for (const outcome of ["confirmed", "reverted"])
      metrics.count("sequencer_intents_settled_total", 0, outcome);
    for (const failure of ["reverted", "expired", "rejected"])
      metrics.count("sequencer_submissions_failed_total", 0, failure);
  }

  see(fact: NodeFact): void {
    const metrics = this.#metrics;
    switch (fact.type) {
      case "Started":
      case "SignaturesSlow":
      case "BlockSeen":
      case "GroupJoined":
      // The log has it, and receipts do.
      case "DomainFailed":
      case "GroupMissing":
        return;
      case "CommitteeChanged":
        metrics.count("sequencer_committees_changed_total");
        return;
      case "BlocksReverted":
        metrics.count("sequencer_blocks_reverted_total");
        return;
      case "ChainTrouble":
        metrics.set("sequencer_trouble", flagOf(fact.reason), "chain");
        return;
      case "EndorserTrouble":
        metrics.set("sequencer_trouble", flagOf(fact.reason), "endorser");
        return;
      case "PayerTrouble":
        this.#notePayer(fact.payer, fact.reason !== undefined);
        return;
      case "GroupRefused":
        metrics.count("sequencer_groups_refused_total");
        return;
      case "Accepted":
        metrics.count("sequencer_intents_accepted_total");
        this.#clock.accept(fact.id, this.#now());
        return;
      case "IntentDispatched": {
        const seconds = this.#clock.dispatch(fact.id, this.#now());
        if (seconds !== undefined)
          metrics.observe("sequencer_intent_dispatch_seconds", seconds);
        return;
      }
      case "Dispatched":
        metrics.count("sequencer_bundles_dispatched_total");
        metrics.count("sequencer_intents_dispatched_total", fact.intents);
        return;
      case "SubmissionFailed":
        metrics.count("sequencer_submissions_failed_total", 1, fact.failure);
        return;
      case "Settled":
        this.#settle(fact.settlement);
        return;
      case "Prepared":
        metrics.count("sequencer_intents_prepared_total");
        // How long it takes from here is its user's choice.
        this.#clock.end(fact.id, this.#now());
        return;
      case "CoordinatorChanged":
        if (fact.takeover !== undefined)
          metrics.count("sequencer_takeovers_total", 1, fact.takeover);
        if (fact.to === "Flush")
          metrics.count("sequencer_handovers_given_total");
    }
  }

  #settle({ intentId, outcome: { type } }: Settlement): void {
    const metrics = this.#metrics;
    const outcome = type === "Confirmed" ? "confirmed" : "reverted";
    metrics.count("sequencer_intents_settled_total", 1, outcome);
    const durations = this.#clock.end(intentId, this.#now());
    if (durations === undefined) return;
    const { sinceAcceptedSeconds, sinceDispatchedSeconds } = durations;
    metrics.observe(
      "sequencer_intent_settle_seconds",
      sinceAcceptedSeconds,
      outcome,
    );
    if (type === "Confirmed" && sinceDispatchedSeconds !== undefined)
      metrics.observe(
        "sequencer_intent_confirm_seconds",
        sinceDispatchedSeconds,
      );
  }

  #notePayer(payer: string, hasTrouble: boolean): void {
    const payers = this.#payersInTrouble;
    if (!hasTrouble) payers.delete(payer);
    else if (payers.size < monitorLimits.payers) payers.add(payer);
    this.#metrics.set("sequencer_trouble", payers.size, "payer");
  }
}

function flagOf(reason: string | undefined): number {
  return reason === undefined ? 0 : 1;
}
