import {
  counted,
  digits,
  printable,
  seconds,
  table,
} from "../../src/view/text.ts";
import type { ReplicaRowFact, ReplicasFact } from "./facts.ts";

/** Replicas for people. */
export function replicasLines(facts: readonly ReplicasFact[]): string[] {
  const rows = facts.filter((fact) => fact.type === "replica");
  const lines = facts.flatMap((fact) =>
    fact.type === "replica" ? [] : [printable(lineOf(fact))],
  );
  return rows.length === 0 ? lines : [...lines, "", ...tableOf(rows)];
}

function lineOf(fact: Exclude<ReplicasFact, ReplicaRowFact>): string {
  switch (fact.type) {
    case "promoting":
      return `${fact.replica} takes over from ${fact.from ?? "nobody"}`;
    case "promoted":
      return `${fact.replica} is active, after ${seconds(fact.elapsedMs)}`;
    case "replicas": {
      const { node, active, since, epoch, head, snapshot, isStopped } = fact;
      const snapshotAt =
        snapshot === null ? "no snapshot" : `snapshot at ${digits(snapshot)}`;
      return [
        active === null
          ? `${node}: no replica is active since ${since}`
          : `${node}: ${active} is active since ${since}`,
        `epoch ${digits(epoch)}`,
        `turn ${digits(head)}`,
        snapshotAt,
        ...(isStopped ? ["the log is stopped"] : []),
      ].join(", ");
    }
  }
}

function tableOf(rows: readonly ReplicaRowFact[]): string[] {
  const header = [
    "replica",
    "role",
    "turn",
    "behind",
    "seen",
    "version",
    "json-rpc",
    "peers",
  ];
  const cells = rows.map((row) =>
    [
      row.name,
      row.isAway ? `away (was ${row.role})` : row.role,
      digits(row.applied),
      counted(row.lag, "turn"),
      `${seconds(row.seenMsAgo)} ago`,
      row.version,
      row.rpc ?? "-",
      row.peersAddress ?? "-",
    ].map(printable),
  );
  return table([header, ...cells], [2]);
}
