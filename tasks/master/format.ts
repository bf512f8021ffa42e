import { digits, printable, seconds, table } from "../../src/view/text.ts";
import type { MasterFact } from "./facts.ts";

type Act = MasterFact & { readonly type: "act" };

/** The active replica and what was done lately, for people. */
export function masterLines(facts: readonly MasterFact[]): string[] {
  const acts = facts.filter((fact) => fact.type === "act");
  const lines = facts.flatMap((fact) =>
    fact.type === "act" ? [] : linesOf(fact).map(printable),
  );
  return acts.length === 0 ? lines : [...lines, "", ...tableOf(acts)];
}

function linesOf(fact: Exclude<MasterFact, Act>): readonly string[] {
  switch (fact.type) {
    case "election": {
      const { isOn, isChanged } = fact;
      const state = isOn ? "on" : "stopped";
      return [
        isChanged
          ? `Elections are ${state} now`
          : `Elections were ${state} already`,
      ];
    }
    case "changed":
      return [
        `${fact.master} is active in epoch ${digits(fact.epoch)}, after ${seconds(fact.elapsedMs)}`,
      ];
    case "master": {
      const { node, master, tenureMs, epoch, turn, hash, supervisor } = fact;
      const who =
        master === null ? "no replica is active" : `${master} is active`;
      const log = fact.isStopped ? "stopped at" : "at";
      return [
        `${node}: ${who} for ${seconds(tenureMs)}, epoch ${digits(epoch)}`,
        `  log         ${log} turn ${digits(turn)}, ${hash.slice(0, 16)}…`,
        `  elections   ${fact.isElectionOn ? "on" : "stopped by an operator"}`,
        `  supervisor  ${supervisor ?? "none is on duty"}${fact.supervisorUrl === null ? "" : ` at ${fact.supervisorUrl}`}`,
      ];
    }
  }
}

function tableOf(acts: readonly Act[]): string[] {
  const rows = acts.map((one) =>
    [
      one.at,
      one.act,
      one.replica ?? "-",
      digits(one.epoch),
      digits(one.turn),
      one.reason,
      one.supervisor,
    ].map(printable),
  );
  const header = ["at", "act", "replica", "epoch", "turn", "reason", "by"];
  return table([header, ...rows], [3, 4]);
}
