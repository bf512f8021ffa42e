import { type Random, randomFrom } from "../../../helpers/random.ts";
import { type Fault, type FaultKind, targetOf, weights } from "./faults.ts";

export interface ScheduleOptions {
  readonly seed: number;
  readonly names: readonly string[];
  /** From the first fault to the end of the last one, as planned. */
  readonly durationMs: number;
  /** Those that cannot be had on this machine. */
  readonly without?: readonly FaultKind[];
}

export interface PlannedFault {
  readonly fault: Fault;
  /** One after the other in a lane, so that there are never more faults at once than lanes. */
  readonly lane: number;
  readonly startMs: number;
  readonly durationMs: number;
}

const LANES = 2;
const FIRST_MS = 1_000;
const DURATION_MS = { min: 2_000, spread: 6_000 };
const GAP_MS = { min: 2_000, spread: 6_000 };

/** All faults of a run. The same seed makes the same ones. */
export function planFaults(options: ScheduleOptions): readonly PlannedFault[] {
  const random = randomFrom(options.seed);
  const planned: PlannedFault[] = [];
  const freeAtMs = Array.from(
    { length: LANES },
    () => FIRST_MS + random.below(GAP_MS.spread),
  );
  let deck: FaultKind[] = [];
  for (;;) {
    const startMs = Math.min(...freeAtMs);
    const lane = freeAtMs.indexOf(startMs);
    const durationMs = DURATION_MS.min + random.below(DURATION_MS.spread);
    if (startMs + durationMs > options.durationMs) return planned;
    if (deck.length === 0) deck = shuffledKinds(random, options.without ?? []);
    const busy = planned
      .filter((one) => one.startMs + one.durationMs > startMs)
      .map(({ fault }) => targetOf(fault));
    const draft = drawFault(deck, { random, names: options.names, busy });
    if (draft !== undefined) {
      deck.splice(deck.indexOf(draft.kind), 1);
      planned.push({ fault: draft, lane, startMs, durationMs });
    }
    freeAtMs[lane] =
      startMs + durationMs + GAP_MS.min + random.below(GAP_MS.spread);
  }
}

function shuffledKinds(
  random: Random,
  without: readonly FaultKind[],
): FaultKind[] {
  const kinds = (Object.keys(weights) as FaultKind[])
    .filter((kind) => !without.includes(kind))
    .flatMap((kind) => Array.from({ length: weights[kind] }, () => kind));
  return [...random.shuffle(kinds)];
}

interface Draw {
  readonly random: Random;
  readonly names: readonly string[];
  /** What has a fault already. */
  readonly busy: readonly string[];
}

/** The first kind for which something is free. */
function drawFault(deck: readonly FaultKind[], draw: Draw): Fault | undefined {
  for (const kind of deck) {
    const fault = faultOf(kind, draw);
    if (fault !== undefined && !draw.busy.includes(targetOf(fault)))
      return fault;
  }
  return undefined;
}

function faultOf(
  kind: FaultKind,
  { random, names, busy }: Draw,
): Fault | undefined {
  const free = names.filter((name) => !busy.includes(name));
  if (free.length === 0) return undefined;
  const node = random.pick(free);
  switch (kind) {
    case "fail-point":
      return undefined;
    case "kill":
    case "freeze":
    case "full-disk":
      return { kind, node };
    case "stop":
      return { kind, node, signal: random.pick(["SIGTERM", "SIGINT"]) };
    case "partition": {
      const mixed = random.shuffle(names);
      const size = 1 + random.below(Math.floor(names.length / 2));
      return { kind, sides: [mixed.slice(0, size), mixed.slice(size)] };
    }
    case "one-way": {
      const [from = "", to = ""] = random.shuffle(names);
      return { kind, from, to };
    }
    case "slow":
      return {
        kind,
        node: random.pick(names),
        delayMs: 100 + random.below(400),
        bytesPerSecond: 8_000 + random.below(56_000),
      };
    case "reorganisation":
      return { kind, depth: 1 + random.below(8) };
    case "kill-coordinator":
    case "chain-frozen":
    case "chain-unreachable":
    case "mining-paused":
      return { kind };
  }
}
