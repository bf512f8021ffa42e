import { limits } from "../../limits.ts";
import type { Turn } from "../../turn.ts";
import type { CoordinatorTransaction } from "./model.ts";

export function hasUnassembledDependencies({
  waitsFor,
}: CoordinatorTransaction): boolean {
  return waitsFor.size > 0;
}

/** Its user wants it endorsed, and not dispatched. */
export function isPrepareOnly({ intent }: CoordinatorTransaction): boolean {
  return intent.isPrepareOnly;
}

/** Its bundle is the first one that is not dispatched. */
export function isInFront(
  { id }: CoordinatorTransaction,
  _event: unknown,
  { node }: Turn,
): boolean {
  const [first] = node.coordinator.bundles;
  return first?.ids.has(id) ?? false;
}

export function hasFailedTooOften({
  failures,
}: CoordinatorTransaction): boolean {
  return failures >= limits.refusals;
}
