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

/** Whether a transaction in this state can still be given back. */
export function isUndispatched(
  state: CoordinatorTransaction["state"],
): boolean {
  switch (state) {
    case "Initial":
    case "Pooled":
    case "PreAssembly_Blocked":
    case "Assembling":
    case "Endorsement_Gathering":
    case "Blocked":
    case "Confirming_Dispatch":
    case "Prepared":
      return true;
    case "Ready_For_Dispatch":
    case "Dispatched":
    case "Sequenced":
    case "Submitted":
    case "Confirmed":
    case "Reverted":
    case "Final":
      return false;
  }
}
