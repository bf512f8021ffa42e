import type { Settings } from "./settings.ts";
import { Violation } from "./violation.ts";
import type { World } from "./world.ts";

/** Every receipt agrees with the ledger, and without faults nothing was wasted. */
export function checkReceipts(world: World, { faults }: Settings): void {
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

/** S14: whoever executes what was prepared for him is told that it happened. */
export function checkExecuted({
  wishes,
  nodes,
  invariants,
  chain,
}: World): void {
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
