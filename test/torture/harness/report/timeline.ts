import type { Evidence } from "../evidence/evidence.ts";
import type { Sample } from "../evidence/observer.ts";
import { coordinatorAt } from "../measures.ts";
import { escape } from "./escape.ts";

export interface TimelineInput {
  readonly evidence: Evidence;
  readonly samples: readonly Sample[];
}

const WIDTH = 1_200;
const LEFT = 110;
const ROW = 22;
const BARS = 80;
const STEP_MS = 1_000;

/** Faults as bands for each target, who coordinated, and receipts per second, over one axis of time. */
export function timelineOf({ evidence, samples }: TimelineInput): string {
  const { answers, faults, nodes } = evidence;
  const times = [
    ...answers.map(({ atMs }) => atMs),
    ...faults.flatMap(({ startMs, endMs }) => [startMs, endMs]),
  ];
  const startMs = times.reduce((a, b) => Math.min(a, b), times[0] ?? 0);
  const endMs = times.reduce((a, b) => Math.max(a, b), startMs + 1);
  const x = (atMs: number): number =>
    LEFT + ((WIDTH - LEFT) * (atMs - startMs)) / (endMs - startMs);
  const rows = ["coordinator", ...nodes, "network", "chain"];
  const height = rows.length * ROW + BARS + 40;
  const parts: string[] = rows.map((row, index) =>
    label(row, index * ROW + ROW),
  );
  for (const fault of faults) {
    const y = rows.indexOf(fault.target) * ROW + 6;
    const title = `${fault.kind} ${fault.detail}, ${seconds(fault.startMs - startMs)} to ${seconds(fault.endMs - startMs)}`;
    parts.push(
      band(
        { from: x(fault.startMs), to: x(fault.endMs), y, title },
        colours[fault.kind] ?? "#888",
      ),
      `<text x="${x(fault.startMs) + 2}" y="${y + 12}" font-size="9">${escape(fault.kind)}</text>`,
    );
  }
  for (let atMs = startMs; atMs < endMs; atMs += STEP_MS) {
    const name = coordinatorAt(samples, atMs);
    if (name === undefined) continue;
    const place = { from: x(atMs), to: x(Math.min(endMs, atMs + STEP_MS)) };
    const title = `${name} at ${seconds(atMs - startMs)}`;
    const hue = Math.round((360 * nodes.indexOf(name)) / nodes.length);
    parts.push(band({ ...place, y: 6, title }, `hsl(${hue} 60% 60%)`));
  }
  nodes.forEach((name, index) => {
    const hue = Math.round((360 * index) / nodes.length);
    const y = (index + 1) * ROW + 12;
    parts.push(`<circle cx="8" cy="${y}" r="5" fill="hsl(${hue} 60% 60%)"/>`);
  });
  const base = rows.length * ROW + BARS + 16;
  parts.push(
    ...bars(
      answers.flatMap((one) => (one.type === "receipt" ? [one.atMs] : [])),
      { startMs, endMs, x, base },
    ),
    label("receipts/s", base - BARS / 2),
    ...axis({ startMs, endMs, x, base }),
  );
  return `<svg viewBox="0 0 ${WIDTH} ${height}" width="100%" role="img" aria-label="Timeline" font-family="sans-serif" font-size="12">${parts.join("\n")}</svg>`;
}

interface Axis {
  readonly startMs: number;
  readonly endMs: number;
  readonly x: (atMs: number) => number;
  /** Where zero is. */
  readonly base: number;
}

function bars(
  times: readonly number[],
  { startMs, x, base }: Axis,
): readonly string[] {
  const counts = new Map<number, number>();
  for (const atMs of times) {
    const step = Math.floor((atMs - startMs) / STEP_MS);
    counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  const most = Math.max(1, ...counts.values());
  return [...counts].map(([step, count]) => {
    const tall = (BARS * count) / most;
    const from = x(startMs + step * STEP_MS);
    const wide = x(startMs + (step + 1) * STEP_MS) - from;
    return `<rect x="${from}" y="${base - tall}" width="${wide}" height="${tall}" fill="#4a7ebb"><title>${count} receipts</title></rect>`;
  });
}

function axis({ startMs, endMs, x, base }: Axis): readonly string[] {
  const everyMs = Math.max(
    10_000,
    Math.ceil((endMs - startMs) / 200_000) * 10_000,
  );
  const marks: string[] = [];
  for (let atMs = startMs; atMs <= endMs; atMs += everyMs)
    marks.push(
      `<line x1="${x(atMs)}" x2="${x(atMs)}" y1="0" y2="${base}" stroke="#ccc" stroke-width="0.5"/>`,
      `<text x="${x(atMs)}" y="${base + 14}" font-size="10">${seconds(atMs - startMs)}</text>`,
    );
  return marks;
}

function band(
  place: {
    readonly from: number;
    readonly to: number;
    readonly y: number;
    readonly title: string;
  },
  colour: string,
): string {
  const wide = Math.max(1, place.to - place.from);
  return `<rect x="${place.from}" y="${place.y}" width="${wide}" height="${ROW - 6}" fill="${colour}"><title>${escape(place.title)}</title></rect>`;
}

function label(text: string, y: number): string {
  return `<text x="18" y="${y - 4}">${escape(text)}</text>`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

const colours: Readonly<Record<string, string>> = {
  kill: "#d9534f",
  stop: "#e8a49f",
  freeze: "#8ec6e6",
  "full-disk": "#c9a227",
  partition: "#b98ad1",
  "one-way": "#d3b8e3",
  slow: "#e3d4ec",
  "chain-frozen": "#8ec6e6",
  "chain-unreachable": "#d9534f",
  reorganisation: "#f0ad4e",
  "mining-paused": "#cccccc",
};
