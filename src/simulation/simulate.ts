import { checkBooks, checkExecuted, checkReceipts } from "./ending.ts";
import { excusedOf, isAnybodyWaiting } from "./excuses.ts";
import { leftoversOf } from "./inspection.ts";
import type { LiarKind } from "./liars/kinds.ts";
import {
  drawSettings,
  type Settings,
  type SimulationOptions,
} from "./settings.ts";
import { Violation } from "./violation.ts";
import { World } from "./world.ts";

/** What came of a run. */
export interface SimulationResult {
  readonly seed: number;
  /** The group, or what all groups of the run have in common. */
  readonly setup: {
    readonly nodes: number;
    readonly threshold: number;
    readonly mode: string;
    readonly policy: string;
    /** Of a run of the whole lane. */
    readonly groups?: readonly {
      readonly domain: string;
      readonly members: readonly string[];
    }[];
  };
  /** The property that did not hold, and how. */
  readonly violation:
    | {
        readonly property: string;
        readonly message: string;
        readonly atMs: number;
      }
    | undefined;
  /** Who lied, and how; undefined if nobody did. */
  readonly liar:
    | {
        readonly name: string;
        readonly kind: LiarKind;
        readonly isLasting: boolean;
      }
    | undefined;
  /** The same for two runs of the same options. */
  readonly traceHash: string;
  readonly statistics: {
    readonly faults: Readonly<Record<string, number>>;
    readonly confirmed: number;
    readonly reverted: number;
    readonly prepared: number;
    /** Prepared, and submitted by their users. */
    readonly executed: number;
    readonly parked: number;
    readonly handovers: number;
    readonly coordinatorChanges: number;
    readonly dispatches: number;
    readonly ledgerReverts: number;
    readonly sends: number;
    readonly commits: number;
    /** Turns that nodes took, and what nodes at rest were spared: a copy of each took those turns. */
    readonly events: number;
    readonly virtualMs: number;
    /** From healing, or the last wish, to the last receipt. */
    readonly settleMs: number;
  };
}

/** Milliseconds of silence after which a group counts as quiet. */
const quietMs = 30_000;
const quietMsMax = 300_000;

/** What a run waits for, now and then, and what comes of it. */
type Course<Result> = Generator<Promise<void>, Result, void>;

/** Runs one seed from the first wish to silence. */
export function simulate(
  options: Omit<SimulationOptions, "domain">,
): SimulationResult {
  const { value, done } = courseOf(options).next();
  if (done !== true) throw new Error("Coins take no time.");
  return value;
}

/** The same with a domain that may take its time. */
export async function simulateDomain(
  options: SimulationOptions,
): Promise<SimulationResult> {
  const course = courseOf(options);
  let next = course.next();
  while (next.done !== true)
    next = await next.value.then(
      () => course.next(),
      (thrown: unknown) => course.throw(thrown),
    );
  return next.value;
}

function* courseOf(options: SimulationOptions): Course<SimulationResult> {
  const settings = drawSettings(options);
  const world = new World(settings, options);
  const outcome: {
    settledMs: number;
    violation: SimulationResult["violation"];
  } = { settledMs: 0, violation: undefined };
  try {
    yield* run(world, settings, (ms) => {
      outcome.settledMs = ms;
    });
  } catch (thrown) {
    const { property, message } =
      thrown instanceof Violation
        ? thrown
        : {
            property: "S23",
            message: thrown instanceof Error ? (thrown.stack ?? "") : "thrown",
          };
    const atMs = world.queue.now;
    outcome.violation = { property, message, atMs };
  } finally {
    settings.domain.close?.();
  }
  return summarise(world, settings, outcome);
}

function* run(
  world: World,
  settings: Settings,
  settled: (ms: number) => void,
): Course<void> {
  const startedMs = Math.max(settings.healMs, settings.spanMs);
  world.start();
  yield* waitForReceipts(world, settings, startedMs);
  if (world.isLiedTo) {
    world.endLies();
    yield* waitForReceipts(world, settings, world.queue.now);
  }
  settled(world.queue.now - startedMs);
  checkReceipts(world, settings);
  if (!isAnybodyWaiting(world, excusedOf(world))) yield* waitForSilence(world);
  checkBooks(world, settings);
  const checked = settings.domain.checkEnd?.(world.chain.blocks);
  if (checked !== undefined) yield checked;
}

/** How much longer everything may take while somebody lies. */
const liedToFactor = 3;

/** L2, and L22 if somebody still lies: every intent ends in bounded time. */
function* waitForReceipts(
  world: World,
  { settleMsMax }: Settings,
  startedMs: number,
): Course<void> {
  for (;;) {
    for (let i = 0; i < 64; i++) {
      const work = world.step();
      if (work !== undefined) yield work;
    }
    if (!world.isHealed || world.queue.now < startedMs) continue;
    const excused = excusedOf(world);
    const open = world.wishes
      .map(({ intent }) => intent.id)
      .filter(
        (id) =>
          !excused.has(id) && world.invariants.receiptOf(id) === undefined,
      );
    if (open.length === 0 && !isAnybodyOnAnOldBranch(world)) return;
    const patienceMs = world.isLiedTo
      ? liedToFactor * settleMsMax
      : settleMsMax;
    if (world.queue.now > startedMs + patienceMs)
      throw new Violation(
        world.isLiedTo ? "L22" : "L2",
        `${open.length} intents are open ${patienceMs} ms after healing. ${open
          .slice(0, 3)
          .map((id) => world.explain(id))
          .join(" ")}`,
      );
  }
}

/** A node that has yet to hear of a reorganisation has receipts that it will take back. */
function isAnybodyOnAnOldBranch({ nodes }: World): boolean {
  return nodes.some(
    (node) =>
      !node.isDead && node.nextIndexed(Infinity)?.type === "BlocksReverted",
  );
}

/** L17: a group without work falls silent and keeps nothing. */
function* waitForSilence(world: World): Course<void> {
  const startedMs = world.queue.now;
  const { counters } = world.observer;
  while (world.queue.now < Math.max(startedMs, counters.lastSendMs) + quietMs) {
    const work = world.step();
    if (work !== undefined) yield work;
    if (world.queue.now > startedMs + quietMsMax) break;
  }
  // Somebody may have asked late, because his node was down, for what waits for ever.
  if (isAnybodyWaiting(world, excusedOf(world))) return;
  if (world.queue.now > startedMs + quietMsMax)
    throw new Violation("L17", "an idle group does not fall silent");
  checkExecuted(world);
  for (const { name, sequencer, disk, isDead } of world.nodes) {
    if (isDead) continue;
    const leftovers = sequencer === undefined ? [] : leftoversOf(sequencer);
    for (const { kind } of disk.records.values())
      // Intents have receipts, one row says how far ahead the node has signed, and signed bundles stay until they expire.
      if (kind !== "intent" && kind !== "horizon" && kind !== "endorsed")
        leftovers.push(`a ${kind} on disk`);
    if (leftovers.length > 0)
      throw new Violation("R1", `${name} keeps ${leftovers.join(", ")}`);
  }
}

function summarise(
  world: World,
  settings: Settings,
  outcome: {
    readonly settledMs: number;
    readonly violation: SimulationResult["violation"];
  },
): SimulationResult {
  const { wishes, invariants, observer } = world;
  const { counters } = observer;
  const count = (type: string | undefined): number =>
    wishes.filter(
      ({ intent }) => invariants.receiptOf(intent.id)?.type === type,
    ).length;
  const { committee, threshold, mode, policy } = settings.config;
  return {
    seed: settings.seed,
    setup: { nodes: committee.length, threshold, mode, policy },
    violation: outcome.violation,
    liar: world.liar,
    traceHash: world.observer.trace.toString(),
    statistics: {
      faults: world.faults.toRecord(),
      confirmed: count("Confirmed"),
      reverted: count("Reverted"),
      prepared: count("Prepared"),
      executed: world.users.executed.size,
      parked: count(undefined),
      handovers: counters.handovers,
      coordinatorChanges: counters.coordinatorChanges,
      dispatches: counters.dispatches,
      ledgerReverts: counters.ledgerReverts,
      sends: counters.sends,
      commits: counters.commits,
      events: counters.turns + counters.rested,
      virtualMs: Math.round(world.queue.now),
      settleMs: Math.round(outcome.settledMs),
    },
  };
}
