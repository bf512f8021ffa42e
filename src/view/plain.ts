import type { EndReason, RunFact, RunSummary } from "./facts.ts";
import { counted, digits, printable, seconds, shorten, table } from "./text.ts";

/** A fact for people, as lines. What happens too often to be read is left out. */
export function toLines(fact: RunFact): string[] {
  switch (fact.type) {
    case "network":
      return [
        `Network "${fact.network}", chain ${fact.chainId}, factory ${fact.factory}`,
        fact.dataDir === null
          ? "Nothing is kept after the end; use --data-dir for that"
          : `Everything is kept in ${fact.dataDir}`,
      ];
    case "group":
      return [
        `Group ${fact.group}: ${fact.domain}, ${fact.threshold} of ${fact.members.length} endorse, ${fact.policy}${fact.isNew ? "" : ", as it was"}`,
        `  members ${fact.members.join(", ")}; id ${fact.id}`,
      ];
    case "node":
      return [`  ${fact.node}  ${fact.url}  ${fact.webSocketUrl}`];
    case "ready":
      return ["Ready. Ctrl-C stops."];
    case "workload":
      return [
        `Sending ${counted(fact.intents, "intent")} that spend from ${counted(fact.accounts, "account")}${fact.rate === null ? "" : `, ${digits(fact.rate)} per second`}`,
      ];
    case "block":
    case "accepted":
    case "status":
      return [];
    case "settled":
      return fact.outcome === "confirmed"
        ? []
        : [
            `${shorten(fact.intent)} of ${fact.node} was reverted: ${printable(fact.reason)}`,
          ];
    case "signatures-slow":
      return [printable(fact.reason)];
    case "blocks-reverted":
      return [`${fact.node} went back to block ${digits(fact.height)}`];
    case "chain-trouble":
      return [
        fact.reason === null
          ? "The chain is back"
          : `Trouble with the chain: ${printable(fact.reason)}`,
      ];
    case "payer-trouble":
      return [
        fact.reason === null
          ? `${fact.payer} pays for ${fact.node} again`
          : `${fact.payer} cannot pay for ${fact.node}: ${printable(fact.reason)}`,
      ];
    case "endorser-trouble":
      return [
        fact.reason === null
          ? `${fact.node} endorses again`
          : `${fact.node} cannot endorse: ${printable(fact.reason)}`,
      ];
    case "domain-failed":
      return [
        `${fact.node}: the domain ${fact.domain} failed in ${fact.method}: ${fact.error}: ${printable(fact.reason)}`,
        ...fact.stack.map((frame) => `  ${printable(frame)}`),
      ];
    case "group-missing":
      return [
        `${fact.node} is rejoining ${shorten(fact.group)}: ${printable(fact.reason)}`,
      ];
    case "group-refused":
      return [
        `${fact.node} does not join ${shorten(fact.group)}: ${printable(fact.reason)}`,
      ];
    case "coordinator":
      return fact.to === "Active" ? [`${fact.node} coordinates`] : [];
    case "dispatched":
      return [
        `${fact.node} dispatched ${counted(fact.intents, "intent")} as ${shorten(fact.bundle)}`,
      ];
    case "submission-failed":
      return [
        `A transaction of ${fact.node} failed (${fact.failure}): ${printable(fact.reason)}`,
      ];
    case "stopping":
      return fact.open === 0
        ? []
        : [
            `Stopping with ${counted(fact.open, "open intent")}. Ctrl-C again leaves at once.`,
          ];
    case "summary":
      return summaryLines(fact);
  }
}

const verdicts: Readonly<Record<EndReason, string>> = {
  done: "Done",
  interrupted: "Stopped",
  left: "Left",
  timeout: "The time is up",
};

/** What a run came to. */
export function summaryLines(summary: RunSummary): string[] {
  const { intents, ledger, workload } = summary;
  const rows: [string, string][] = [
    ["intents confirmed", digits(intents.confirmed)],
    ["intents reverted", digits(intents.reverted)],
  ];
  if (intents.open > 0) rows.push(["intents left open", digits(intents.open)]);
  if (workload !== null) {
    const unsent =
      workload - intents.confirmed - intents.reverted - intents.open;
    if (unsent > 0) rows.push(["intents not sent", digits(unsent)]);
  }
  rows.push(["bundles dispatched", digits(summary.bundles)]);
  if (ledger !== null) {
    rows.push(
      ["base-ledger transactions", digits(ledger.transactions)],
      ["base-ledger reverts", digits(ledger.reverted)],
    );
    if (ledger.gasPerIntent !== null)
      rows.push(["gas per intent", digits(ledger.gasPerIntent)]);
  }
  rows.push(["rotations of the coordinator", digits(summary.rotations)]);
  if (workload !== null)
    rows.push(["intents per second", digits(summary.intentsPerSecond)]);
  return [
    `${verdicts[summary.reason]} after ${seconds(summary.elapsedMs)}.`,
    "",
    ...table(rows, [1]).map((line) => `  ${line}`),
  ];
}
