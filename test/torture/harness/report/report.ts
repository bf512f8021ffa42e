import { writeFileSync } from "node:fs";
import path from "node:path";

import type { Violation } from "../checker/violation.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { Sample } from "../evidence/observer.ts";
import type { Measure } from "../measures.ts";
import { escape } from "./escape.ts";
import { figuresOf } from "./figures.ts";
import { timelineOf } from "./timeline.ts";

export interface ReportInput {
  readonly seed: number;
  readonly evidence: Evidence;
  readonly samples: readonly Sample[];
  readonly violations: readonly Violation[];
  readonly measures: readonly Measure[];
}

/** One page for people. It needs nothing but itself. */
export function htmlOf(input: ReportInput): string {
  const { seed, evidence, violations, measures } = input;
  const figures = Object.entries(figuresOf(evidence)).map(
    ([what, count]) => [what, String(count)] as const,
  );
  const verdict =
    violations.length === 0
      ? "Everything holds."
      : `${violations.length} violations.`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Torture, seed ${seed}</title>
<style>
body { font: 14px/1.4 sans-serif; margin: 2em auto; max-width: 1240px; }
table { border-collapse: collapse; } td { border-top: 1px solid #ddd; padding: 2px 12px 2px 0; vertical-align: top; }
</style>
<h1>Torture, seed ${seed}: ${verdict}</h1>
${timelineOf(input)}
<h2>Violations</h2>
${tableOf(violations.map(({ property, what }) => [property, what]))}
<h2>Figures</h2>
${tableOf(figures)}
<h2>Measures</h2>
${tableOf(
  measures.map(({ what, heartbeats }) => [
    what,
    heartbeats === undefined
      ? "never"
      : `${heartbeats.toFixed(1)} heartbeat intervals`,
  ]),
)}
<h2>Faults</h2>
${tableOf(
  evidence.faults.map(({ kind, target, detail, startMs, endMs }) => [
    kind,
    target,
    detail,
    `${((endMs - startMs) / 1_000).toFixed(1)} s`,
  ]),
)}
</html>
`;
}

function tableOf(rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "<p>None.</p>";
  const lines = rows.map(
    (row) =>
      `<tr>${row.map((cell) => `<td>${escape(cell)}</td>`).join("")}</tr>`,
  );
  return `<table>${lines.join("\n")}</table>`;
}

/** The same for machines, without the evidence itself. */
export function jsonOf(input: ReportInput): object {
  const { seed, evidence, violations, measures } = input;
  return {
    version: 1,
    seed,
    violations,
    figures: figuresOf(evidence),
    measures,
    faults: evidence.faults,
    exits: evidence.exits,
  };
}

/** Writes `report.html`, `report.json`, and the evidence for who wants to check it again. */
export function writeReport(directory: string, input: ReportInput): void {
  const write = (file: string, text: string): void => {
    writeFileSync(path.join(directory, file), text);
  };
  write("report.html", htmlOf(input));
  write("report.json", `${JSON.stringify(jsonOf(input), undefined, 2)}\n`);
  write("evidence.json", `${JSON.stringify(input.evidence)}\n`);
}
