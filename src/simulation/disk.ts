import type { Effect } from "../protocol/effects.ts";
import type { IntentId } from "../protocol/ids.ts";
import {
  type IntentRecord,
  recordKey,
  type SavedRecord,
} from "../protocol/records.ts";
import type { FaultCounter, FaultPlan } from "./faults.ts";
import type { Random } from "./random.ts";

/** Where in a turn a node crashes. */
export const crashPoints = [
  "before-commit",
  "after-commit",
  "amid-effects",
  "after-effects",
] as const;
export type CrashPoint = (typeof crashPoints)[number];

/** What happens to the commit of one batch, and to the node around it. */
export interface CommitFate {
  /** Whether it is on the disk in the end. */
  readonly isApplied: boolean;
  readonly delayMs: number;
  /** The disk says that it failed, whatever it did. */
  readonly hasFailed: boolean;
  /** The share of the batch's effects that is performed before the node crashes; undefined if it does not. */
  readonly crashAfter: number | undefined;
}

const fine: CommitFate = {
  isApplied: true,
  delayMs: 0,
  hasFailed: false,
  crashAfter: undefined,
};

/** After that many blocks no reorganisation brings anything back. */
const reorganisedMax = 64;

/** Whether a bundle cannot happen any more, whatever becomes of the last blocks. */
export function isOver(
  { validUntil }: { readonly validUntil: number },
  height: number,
): boolean {
  return validUntil + reorganisedMax < height;
}

/** The tables of one node, in memory: they survive crashes of the node. */
export class Disk {
  readonly records = new Map<string, SavedRecord>();
  /** The highest block that was ever taken in: a reorganisation does not bring back what went then. */
  prunedAt = 0;

  commit(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type === "Save")
        this.records.set(recordKey(effect.record), effect.record);
      else if (effect.type === "Erase") this.records.delete(effect.key);
    }
  }

  /** A block was taken in: signed bundles that can no longer happen go. */
  prune(height: number): void {
    this.prunedAt = Math.max(this.prunedAt, height);
    for (const [key, record] of this.records)
      if (record.kind === "endorsed" && isOver(record, height))
        this.records.delete(key);
  }
}

/** Draws the fate of a commit. */
export function drawFate(
  plan: FaultPlan,
  random: Random,
  faults: FaultCounter,
): CommitFate {
  let delayMs = 0;
  if (random.chance(plan.slowDisk)) {
    faults.count("slow-disk");
    delayMs = random.below(plan.slowDiskMs);
  }
  if (random.chance(plan.failedCommit)) {
    // Nobody can tell whether a failed commit was applied: the node stops and reads again.
    faults.count("commit-failed");
    const isApplied = random.chance(0.5);
    return { ...fine, isApplied, delayMs, hasFailed: true };
  }
  if (random.chance(plan.crashAtCommit)) {
    const point = random.pick(crashPoints);
    faults.count(`crash-${point}`);
    return { ...fateAt(point, random), delayMs };
  }
  return delayMs === 0 ? fine : { ...fine, delayMs };
}

/** What happens to a commit when its node crashes at this point. */
export function fateAt(point: CrashPoint, random: Random): CommitFate {
  const isApplied = point !== "before-commit";
  const share = { "amid-effects": random.fraction(), "after-effects": 1 };
  const crashAfter =
    point === "before-commit" || point === "after-commit" ? 0 : share[point];
  return { ...fine, isApplied, crashAfter };
}

/** An intent as it is on a disk. */
export function intentOn(
  records: ReadonlyMap<string, SavedRecord>,
  id: IntentId,
): IntentRecord | undefined {
  const record = records.get(`intent:${id}`);
  return record?.kind === "intent" ? record : undefined;
}
