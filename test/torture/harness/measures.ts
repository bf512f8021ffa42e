import type { Evidence, FaultFact } from "./evidence/evidence.ts";
import type { Sample } from "./evidence/observer.ts";

/** A line of a node's log, and when it was heard. */
export interface LogFact {
  readonly atMs: number;
  readonly node: string;
  readonly event: string;
}

export const measureKinds = ["dispatch", "receipt", "healing"] as const;

/** What happened how fast, in heartbeats. */
export interface Measure {
  readonly kind: (typeof measureKinds)[number];
  /** Whether nothing else was wrong meanwhile: only then is it worth something. */
  readonly isAlone: boolean;
  readonly what: string;
  readonly atMs: number;
  /** Undefined if it never happened. */
  readonly heartbeats: number | undefined;
}

export interface MeasureInput {
  readonly evidence: Pick<Evidence, "nodes" | "faults" | "answers">;
  readonly samples: readonly Sample[];
  readonly facts: readonly LogFact[];
  readonly heartbeatMs: number;
}

/** How long it takes to go on after the coordinator is gone, and to agree after a partition. */
export function measure(input: MeasureInput): readonly Measure[] {
  return input.evidence.faults.flatMap((fault) => {
    if (["kill", "full-disk", "stop"].includes(fault.kind))
      return afterKill(fault, input);
    return fault.kind === "partition" ? [afterHealing(fault, input)] : [];
  });
}

function afterKill(fault: FaultFact, input: MeasureInput): readonly Measure[] {
  const { samples, facts, evidence, heartbeatMs } = input;
  if (coordinatorAt(samples, fault.startMs) !== fault.target) return [];
  const since = (atMs: number | undefined): number | undefined =>
    atMs === undefined ? undefined : (atMs - fault.startMs) / heartbeatMs;
  const dispatched = facts.find(
    ({ atMs, event, node }) =>
      event === "bundle-dispatched" &&
      atMs > fault.startMs &&
      node !== fault.target,
  );
  // What was wished before may have been on the ledger already.
  const later = evidence.answers.filter(({ atMs }) => atMs > fault.startMs);
  const wished = new Set(
    later.filter(({ type }) => type === "wished").map(({ key }) => key),
  );
  const settled = later.find(
    ({ type, key }) => type === "receipt" && wished.has(key),
  );
  const untilMs = Math.max(
    dispatched?.atMs ?? fault.endMs,
    settled?.atMs ?? fault.endMs,
  );
  const others = othersDuring(evidence.faults, { fault, untilMs });
  const name = `${fault.kind} of the coordinator ${fault.target}${others}`;
  const isAlone = others === "";
  return [
    {
      kind: "dispatch",
      isAlone,
      what: `${name}: next dispatch by another node`,
      atMs: fault.startMs,
      heartbeats: since(dispatched?.atMs),
    },
    {
      kind: "receipt",
      isAlone,
      what: `${name}: first receipt of a later wish`,
      atMs: fault.startMs,
      heartbeats: since(settled?.atMs),
    },
  ];
}

/** What is wrong for a while after a fault: a node that was away is still skipped, or catches up. */
const AFTERMATH_MS = 5_000;

/** What else was wrong meanwhile: it explains what takes long. */
function othersDuring(
  faults: readonly FaultFact[],
  { fault, untilMs }: { readonly fault: FaultFact; readonly untilMs: number },
): string {
  const kinds = faults
    .filter(
      (other) =>
        other !== fault &&
        other.startMs < untilMs &&
        other.endMs + AFTERMATH_MS > fault.startMs,
    )
    .map(({ kind, target }) => `${kind} of ${target}`);
  return kinds.length === 0 ? "" : ` (meanwhile: ${kinds.join(", ")})`;
}

/** From the end of a partition until all nodes that answer name the same coordinator. */
function afterHealing(fault: FaultFact, input: MeasureInput): Measure {
  const { samples, evidence, heartbeatMs } = input;
  const last = new Map<string, string | undefined>();
  let agreedMs: number | undefined;
  for (const { atMs, node, active, height } of samples) {
    if (atMs < fault.endMs || agreedMs !== undefined) continue;
    // Who does not answer has another fault, and no say.
    if (height === undefined) last.delete(node);
    else last.set(node, active);
    const names = new Set(last.values());
    const isAll = last.size > evidence.nodes.length / 2;
    if (isAll && names.size === 1 && !names.has(undefined)) agreedMs = atMs;
  }
  const healing = { ...fault, startMs: fault.endMs };
  const others = othersDuring(
    evidence.faults.filter((one) => one !== fault),
    { fault: healing, untilMs: agreedMs ?? fault.endMs },
  );
  return {
    kind: "healing",
    isAlone: others === "",
    what: `partition ${fault.detail} healed${others}: one coordinator agreed`,
    atMs: fault.endMs,
    heartbeats:
      agreedMs === undefined
        ? undefined
        : (agreedMs - fault.endMs) / heartbeatMs,
  };
}

/** Whom most nodes last took for the coordinator. */
export function coordinatorAt(
  samples: readonly Sample[],
  atMs: number,
): string | undefined {
  const last = new Map<string, string | undefined>();
  for (const sample of samples) {
    if (sample.atMs > atMs) break;
    if (sample.height !== undefined) last.set(sample.node, sample.active);
  }
  const counts = new Map<string, number>();
  for (const name of last.values())
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  const [best] = [...counts].sort((a, b) => b[1] - a[1]);
  return best?.[0];
}

/** How many measures of a kind there are with nothing else wrong, and how long they take. */
export interface Summary {
  readonly kind: Measure["kind"];
  readonly count: number;
  /** Heartbeats; undefined if there are none. */
  readonly median: number | undefined;
  readonly most: number | undefined;
}

export function summaryOf(measures: readonly Measure[]): readonly Summary[] {
  return measureKinds.map((kind) => {
    const found = measures
      .filter((one) => one.kind === kind && one.isAlone)
      .map(({ heartbeats }) => heartbeats ?? Infinity)
      .sort((a, b) => a - b);
    const median = found[Math.floor(found.length / 2)];
    return { kind, count: found.length, median, most: found.at(-1) };
  });
}
