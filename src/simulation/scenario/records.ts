import type { Effect } from "../../protocol/effects.ts";
import {
  recordKey,
  type DispatchRecord,
  type IntentRecord,
  type SavedRecord,
} from "../../protocol/records.ts";
import type { Disk } from "../disk.ts";
import type { Names } from "../transcript.ts";

/** Where something becomes durable. protocol.md#8 */
export type Point = "P0" | "P1S" | "P1C" | "P2S" | "P2C" | "P3" | "handover";

/** The points that a commit passes. */
export function pointsOf(effects: readonly Effect[], disk: Disk): Set<Point> {
  const points = new Set<Point>();
  for (const effect of effects) {
    if (effect.type !== "Save") continue;
    const point = pointOf(
      effect.record,
      disk.records.get(recordKey(effect.record)),
    );
    if (point !== undefined) points.add(point);
  }
  return points;
}

function pointOf(
  record: SavedRecord,
  before: SavedRecord | undefined,
): Point | undefined {
  if (record.kind === "endorsed") return undefined;
  if (record.kind === "handover") return "handover";
  if (record.kind === "horizon") return undefined;
  if (record.kind === "dispatch") return before === undefined ? "P1C" : "P2C";
  if (record.receipt !== undefined) return "P3";
  if (before?.kind !== "intent") return "P0";
  if (record.isDispatched && !before.isDispatched) return "P2S";
  return record.permission === before.permission ? undefined : "P1S";
}

/** What a commit changes on disk, a line for each record. Receipts are left to those who tell the user. */
export function describeCommit(
  effects: readonly Effect[],
  disk: Disk,
  names: Names,
): string[] {
  const records = new Map(disk.records);
  return effects.flatMap((effect) => {
    if (effect.type === "Erase") {
      const record = records.get(effect.key);
      records.delete(effect.key);
      return record === undefined ? [] : [`erases ${titleOf(record, names)}`];
    }
    if (effect.type !== "Save") return [];
    const key = recordKey(effect.record);
    const text = describe(effect.record, records.get(key), names);
    records.set(key, effect.record);
    return text === undefined ? [] : [`saves ${text}`];
  });
}

function titleOf(record: SavedRecord, names: Names): string {
  switch (record.kind) {
    case "intent":
      return `intent ${names.of(record.intent.id)}`;
    case "dispatch":
      return `dispatch ${names.digest(record.bundle.digest)}`;
    case "handover":
      return `handover to ${record.to}`;
    case "horizon":
      return `horizon ${record.signedUntil}`;
    case "endorsed":
      return `endorsed ${names.digest(record.digest)}`;
  }
}

function describe(
  record: SavedRecord,
  before: SavedRecord | undefined,
  names: Names,
): string | undefined {
  const title = titleOf(record, names);
  switch (record.kind) {
    case "intent":
      return before?.kind === "intent"
        ? describeProgress(record, before, names)
        : title;
    case "dispatch":
      return describeDispatch(record, before, names);
    case "handover":
      return `${title} flush=${names.some(record.flush)}`;
    // It goes to the disk before the first assembly, and then seldom: stories do not tell it.
    case "horizon":
    case "endorsed":
      return undefined;
  }
}

function describeDispatch(
  { bundle, acknowledged }: DispatchRecord,
  before: SavedRecord | undefined,
  names: Names,
): string {
  const digest = names.digest(bundle.digest);
  const ids = names.some(bundle.steps.map(({ intentId }) => intentId));
  return before === undefined
    ? `dispatch ${digest} ${ids}`
    : `dispatch ${digest} known to ${acknowledged.join(",")}`;
}

function describeProgress(
  record: IntentRecord,
  before: IntentRecord,
  names: Names,
): string | undefined {
  const { permission, parked, retries, isDoomed, receipt } = record;
  const name = names.of(record.intent.id);
  if (receipt !== undefined) return undefined;
  if (before.receipt !== undefined) return `${name} as open again`;
  const reason = record.reason ?? "";
  if (isDoomed && !before.isDoomed)
    return `failure of ${name} "${reason}" final after block ${record.liveUntil}`;
  if (retries !== before.retries)
    return `retry ${retries} of ${name} "${reason}"`;
  if (record.isDispatched && !before.isDispatched)
    return `notice of dispatch ${name}`;
  if (permission !== undefined && permission !== before.permission)
    return `permission ${permission.attempt} of ${name} to ${permission.coordinator} for ${names.digest(permission.digest)} until=${permission.validUntil}`;
  if (parked !== before.parked)
    return parked === undefined
      ? `resumption of ${name}`
      : `parking of ${name}`;
  return `intent ${name} again`;
}
