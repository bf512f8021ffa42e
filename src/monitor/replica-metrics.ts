import type {
  Append,
  ReplicaFact,
  Role,
  RoleDetails,
} from "../replica/options.ts";
import type { Metrics } from "./metrics.ts";

/** Counts what a replica tells. Nodes that are no replicas have none of this. */
export class ReplicaMetrics {
  readonly #metrics: Metrics;

  constructor(ports: { readonly metrics: Metrics }) {
    const { metrics } = ports;
    this.#metrics = metrics;
    for (const cause of ["start", "handover", "failover", "return"])
      metrics.count("sequencer_replica_takeovers_total", 0, cause);
    for (const cause of [
      "lease-lost",
      "node-failed",
      "promotion",
      "revoked",
      "stopped",
    ])
      metrics.count("sequencer_replica_step_downs_total", 0, cause);
    for (const outcome of ["made", "failed", "refused"])
      metrics.count("sequencer_replica_snapshots_total", 0, outcome);
    for (const name of [
      "sequencer_replica_appended_turns_total",
      "sequencer_replica_appended_bytes_total",
      "sequencer_replica_rebuilds_total",
    ] as const)
      metrics.count(name, 0);
    this.#setTrouble(undefined);
  }

  seeRole(role: Role, { cause, takeover }: RoleDetails): void {
    if (takeover !== undefined)
      this.#metrics.count("sequencer_replica_takeovers_total", 1, takeover);
    // It is passive at the start, too.
    if (role === "passive" && cause !== "started")
      this.#metrics.count("sequencer_replica_step_downs_total", 1, cause);
  }

  see(fact: ReplicaFact): void {
    const metrics = this.#metrics;
    switch (fact.type) {
      case "Trouble":
        this.#setTrouble(fact.error === undefined ? undefined : "database");
        return;
      case "Outdated":
        this.#setTrouble("outdated");
        return;
      case "Rebuilt":
        metrics.count("sequencer_replica_rebuilds_total");
        return;
      case "SnapshotMade":
        metrics.count("sequencer_replica_snapshots_total", 1, "made");
        return;
      case "SnapshotFailed":
        metrics.count("sequencer_replica_snapshots_total", 1, "failed");
        return;
      case "SnapshotRefused":
        metrics.count("sequencer_replica_snapshots_total", 1, "refused");
    }
  }

  seeAppend({ turns, bytes, ms }: Append): void {
    const metrics = this.#metrics;
    metrics.observe("sequencer_replica_append_seconds", ms / 1_000);
    metrics.count("sequencer_replica_appended_turns_total", turns);
    metrics.count("sequencer_replica_appended_bytes_total", bytes);
  }

  #setTrouble(trouble: "database" | "outdated" | undefined): void {
    for (const kind of ["database", "outdated"])
      this.#metrics.set(
        "sequencer_replica_trouble",
        kind === trouble ? 1 : 0,
        kind,
      );
  }
}
