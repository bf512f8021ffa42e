import type { IntentId } from "../protocol/ids.ts";
import type { Wish } from "./workload.ts";
import type { World } from "./world.ts";

/**
 * Intents that wait for ever because their user never resumes them, or their domain has its reasons, or their user was told
 * that they are refused, or their node is dead, and those that depend on them.
 */
export function excusedOf(world: World): Set<IntentId> {
  const { wishes, users, nodes } = world;
  const excused = new Set<IntentId>();
  for (const wish of wishes) {
    const { intent, isParked, mayPark, resumeAfterMs, node } = wish;
    if (
      mayPark ||
      (isParked && resumeAfterMs === undefined) ||
      users.refused.has(intent.id) ||
      nodes[node]?.isDead === true ||
      isLiarAtWork(world, node) ||
      intent.dependsOn.some((id) => excused.has(id)) ||
      isParkedForAnother(world, wish)
    )
      excused.add(intent.id);
  }
  return excused;
}

/** What a liar wants is its own business while it lies. */
function isLiarAtWork(
  { nodes, liars, isLiedTo }: World,
  index: number,
): boolean {
  const name = nodes[index]?.name;
  return isLiedTo && name !== undefined && liars.has(name);
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
export function isAnybodyWaiting(
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
