import { liarKinds } from "../../src/simulation/liars/kinds.ts";
import type { SimulateFact, Summary, Totals } from "./facts.ts";

/** Rises when a line of `--json` changes in a way that readers must know. */
export const jsonVersion = 1;

/** A fact as one line of JSON. */
export function toJson(fact: SimulateFact): string {
  return JSON.stringify({ version: jsonVersion, ...fact });
}

/** A fact for people. Runs that went well are only counted. */
export function toLines(fact: SimulateFact): string[] {
  switch (fact.type) {
    case "run":
      return [];
    case "violation":
      return violationLines(fact);
    case "transcript":
      return [
        `The transcript of seed ${fact.seed}, ${count(fact.lines)} lines, is in ${fact.file}`,
      ];
    case "summary":
      return summaryLines(fact);
  }
}

/** How far the runs are, for people who wait. */
export function toProgress(done: number, seeds: number): string {
  const percent = Math.floor((100 * done) / seeds);
  return `${count(done)} of ${count(seeds)} seeds, ${percent} %`;
}

function violationLines(
  fact: Extract<SimulateFact, { type: "violation" }>,
): string[] {
  const { seed, property, meaning, atMs, nodes, threshold, liar } = fact;
  const seconds = (atMs / 1_000).toFixed(3);
  return [
    `Seed ${seed} violates ${property}: ${meaning}`,
    "",
    ...fact.message.split("\n").map((line) => `  ${line}`),
    `  ${seconds} s after the start, ${nodes} nodes, ${threshold} endorse, ${fact.mode}, ${fact.policy}`,
    ...groupLines(fact.groups),
    ...(liar === undefined ? [] : [`  ${describeLiar(liar)}`]),
    "",
    "What happened last",
    ...fact.transcript.map((line) => `  ${line}`),
    "",
    "Repeat it",
    `  ${fact.command}`,
    "",
  ];
}

function describeLiar({
  name,
  kind,
  isLasting,
}: NonNullable<Extract<SimulateFact, { type: "violation" }>["liar"]>): string {
  const end = isLasting ? ", until all others have what they want" : "";
  return `${name} lies (${kind}): it ${liarKinds[kind]}${end}`;
}

function summaryLines(summary: Summary): string[] {
  const { firstSeed, seeds, faults, isViolated, totals, elapsedMs } = summary;
  const { runs } = totals;
  const lastSeed = firstSeed + runs - 1;
  const which =
    runs === 1 ? `seed ${firstSeed}` : `seeds ${firstSeed}–${lastSeed}`;
  const verdict = isViolated
    ? `A property was violated after ${count(runs)} of ${count(seeds)} runs`
    : `Every property held in ${count(runs)} ${runs === 1 ? "run" : "runs"}`;
  return [
    `${verdict}, ${which}, lane: ${summary.lane}, faults: ${faults}.`,
    ...drawnLines(summary),
    "",
    ...table(totalRows(totals, elapsedMs)),
    ...countLines("Liars, by runs", totals.liars),
    ...countLines("Faults", totals.faults),
  ];
}

/** What a single seed drew. */
function drawnLines({ setup, liar }: Summary): string[] {
  if (setup === undefined) return [];
  const { nodes, mode, policy, groups } = setup;
  return [
    `  ${nodes} nodes, ${mode}, ${policy}`,
    ...groupLines(groups),
    ...(liar === undefined ? [] : [`  ${describeLiar(liar)}`]),
  ];
}

function groupLines(groups: NonNullable<Summary["setup"]>["groups"]): string[] {
  return (groups ?? []).map(
    ({ domain, members }) => `  ${domain} of ${members.join(", ")}`,
  );
}

type Row = readonly [label: string, value: string];

function totalRows(totals: Totals, elapsedMs: number): Row[] {
  const { events } = totals;
  const perSecond = elapsedMs > 0 ? (1_000 * events) / elapsedMs : 0;
  return [
    ["intents confirmed", count(totals.confirmed)],
    ["intents reverted", count(totals.reverted)],
    ["intents prepared", count(totals.prepared)],
    ["intents left open", count(totals.open)],
    ["bundles dispatched", count(totals.dispatches)],
    ["base-ledger reverts", count(totals.ledgerReverts)],
    ["handovers", count(totals.handovers)],
    ["coordinator changes", count(totals.coordinatorChanges)],
    ["messages", count(totals.messages)],
    ["virtual hours", (totals.virtualMs / 3_600_000).toFixed(2)],
    ["events per second", count(Math.round(perSecond))],
  ];
}

function countLines(
  title: string,
  counts: Readonly<Record<string, number>>,
): string[] {
  const kinds = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
  if (kinds.length === 0) return [];
  const rows = kinds.map(([kind, times]): Row => [kind, count(times)]);
  return ["", title, ...table(rows)];
}

/** Labels to the left, numbers to the right. */
function table(rows: readonly Row[]): string[] {
  const widthOf = (column: 0 | 1): number =>
    Math.max(...rows.map((row) => row[column].length));
  const [labels, values] = [widthOf(0), widthOf(1)];
  return rows.map(
    ([label, value]) => `  ${label.padEnd(labels)}  ${value.padStart(values)}`,
  );
}

/** Digits in groups of three. */
function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}
