import type { IntentId } from "../protocol/ids.ts";
import { leftoversOf } from "./inspection.ts";
import { Violation } from "./violation.ts";
import {
  drawSettings,
  type Settings,
  type SimulationOptions,
} from "./settings.ts";
import type { Wish } from "./workload.ts";
import { World } from "./world.ts";

/** What came of a run. */
export interface SimulationResult {
  readonly seed: number;
  readonly settings: Settings;
  /** The property that did not hold, and how. */
  readonly violation:
    | {
        readonly property: string;
        readonly message: string;
        readonly atMs: number;
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
    /** Turns that nodes took. */
    readonly events: number;
    readonly virtualMs: number;
    /** From healing, or the last wish, to the last receipt. */
    readonly settleMs: number;
  };
}

/** Milliseconds of silence after which a group counts as quiet. */
const quietMs = 30_000;
const quietMsMax = 300_000;

/** Runs one seed from the first wish to silence. */
export function simulate(options: SimulationOptions): SimulationResult {
  const settings = drawSettings(options);
  const world = new World(settings, options);
  const outcome: {
    settledMs: number;
    violation: SimulationResult["violation"];
  } = { settledMs: 0, violation: undefined };
  try {
    run(world, settings, (ms) => {
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
  }
  return summarise(world, settings, outcome);
}

function run(
  world: World,
  settings: Settings,
  settled: (ms: number) => void,
): void {
  let excused = excusedOf(world);
  const startedMs = Math.max(settings.healMs, settings.spanMs);
  const deadlineMs = startedMs + settings.settleMsMax;
  world.start();
  let open: IntentId[] = [];
  for (;;) {
    for (let i = 0; i < 64; i++) world.queue.step();
    if (!world.isHealed || world.queue.now < startedMs) continue;
    excused = excusedOf(world);
    open = world.wishes
      .map(({ intent }) => intent.id)
      .filter(
        (id) =>
          !excused.has(id) && world.invariants.receiptOf(id) === undefined,
      );
    if (open.length === 0) break;
    if (world.queue.now > deadlineMs)
      throw new Violation(
        "L2",
        `${open.length} intents are open ${settings.settleMsMax} ms after healing. ${open
          .slice(0, 3)
          .map((id) => world.explain(id))
          .join(" ")}`,
      );
  }
  settled(world.queue.now - startedMs);
  checkEnd(world, settings);
  if (isAnybodyWaiting(world, excused)) return;
  waitForSilence(world);
}

/**
 * Intents that wait for ever because their user never resumes them, or was told that they are refused, or their node is
 * dead, and those that depend on them.
 */
function excusedOf(world: World): Set<IntentId> {
  const { wishes, users, nodes } = world;
  const excused = new Set<IntentId>();
  for (const wish of wishes) {
    const { intent, isParked, resumeAfterMs, node } = wish;
    if (
      (isParked && resumeAfterMs === undefined) ||
      users.refused.has(intent.id) ||
      nodes[node]?.isDead === true ||
      intent.dependsOn.some((id) => excused.has(id)) ||
      isParkedForAnother(world, wish)
    )
      excused.add(intent.id);
  }
  return excused;
}

/**
 * Whether it depends on another node's intent that has failed, and is parked, perhaps again and again because its user
 * resumes it, or can learn of that from nobody.
 */
function isParkedForAnother(
  { wishes, nodes, invariants }: World,
  { intent, node, isParked: isResumed }: Wish,
): boolean {
  const record = nodes[node]?.disk.records.get(`intent:${intent.id}`);
  const isParked =
    isResumed || (record?.kind === "intent" && record.parked !== undefined);
  return intent.dependsOn.some((id) => {
    const owner = wishes.find((wish) => wish.intent.id === id)?.node;
    if (owner === undefined || owner === node) return false;
    const receipt = invariants.receiptOf(id);
    const hasFailed =
      receipt?.type === "Reverted" || receipt?.type === "Prepared";
    return hasFailed && (isParked || nodes[owner]?.isDead === true);
  });
}

/** Whether a living node keeps something that waits for ever, and rightly so. */
function isAnybodyWaiting(
  { wishes, nodes, users, invariants }: World,
  excused: ReadonlySet<IntentId>,
): boolean {
  return wishes.some(
    ({ intent: { id }, node }) =>
      excused.has(id) &&
      users.accepted.has(id) &&
      nodes[node]?.isDead !== true &&
      invariants.receiptOf(id) === undefined,
  );
}

/** Every receipt agrees with the ledger, and without faults nothing was wasted. */
function checkEnd(world: World, { faults }: Settings): void {
  const { fulfilled } = world.chain.ledger;
  for (const { intent } of world.wishes) {
    const receipt = world.invariants.receiptOf(intent.id);
    if (receipt === undefined || receipt.type === "Prepared") continue;
    if ((receipt.type === "Confirmed") !== fulfilled.has(intent.id))
      throw new Violation(
        "S14",
        `${intent.id} is ${receipt.type}, the ledger says otherwise`,
      );
  }
  const { ledgerReverts, coordinatorChanges } = world.observer.counters;
  // What a user executes himself may spend what a transaction in flight spends too.
  const isExpected = coordinatorChanges > 1 || world.users.executed.size > 0;
  if (faults === "none" && ledgerReverts > 0 && !isExpected)
    throw new Violation("R6", `${ledgerReverts} reverts without a fault`);
}

/** L17: a group without work falls silent and keeps nothing. */
function waitForSilence(world: World): void {
  const startedMs = world.queue.now;
  const { counters } = world.observer;
  while (world.queue.now < Math.max(startedMs, counters.lastSendMs) + quietMs) {
    world.queue.step();
    if (world.queue.now > startedMs + quietMsMax)
      throw new Violation("L17", "an idle group does not fall silent");
  }
  checkExecuted(world);
  for (const { name, sequencer, disk, isDead } of world.nodes) {
    if (isDead) continue;
    const leftovers = sequencer === undefined ? [] : leftoversOf(sequencer);
    for (const { kind } of disk.records.values())
      if (kind !== "intent") leftovers.push(`a ${kind} on disk`);
    if (leftovers.length > 0)
      throw new Violation("R1", `${name} keeps ${leftovers.join(", ")}`);
  }
}

/** S14: whoever executes what was prepared for him is told that it happened. */
function checkExecuted({ wishes, nodes, invariants, chain }: World): void {
  for (const { intent, node } of wishes) {
    const owner = nodes[node];
    const block = chain.ledger.fulfilled.get(intent.id);
    if (owner === undefined || owner.isDead || block === undefined) continue;
    const receipt = invariants.receiptOf(intent.id);
    if (receipt?.type === "Prepared" && block <= owner.height)
      throw new Violation(
        "S14",
        `${intent.id} is on the ledger, and ${owner.name} has not noticed`,
      );
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
  return {
    seed: settings.seed,
    settings,
    violation: outcome.violation,
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
      events: counters.turns,
      virtualMs: Math.round(world.queue.now),
      settleMs: Math.round(outcome.settledMs),
    },
  };
}
