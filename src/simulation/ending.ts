import type { StateId } from "../protocol/ids.ts";
import type { State } from "../protocol/transition.ts";
import type { Block } from "./chain.ts";
import type { SimulatedNode } from "./node.ts";
import type { Settings } from "./settings.ts";
import { Violation, violation } from "./violation.ts";
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

/** Every node knows all that is on the ledger and that it may see, as far as it has seen blocks, and nothing else. */
export function checkBooks({ nodes, chain }: World, settings: Settings): void {
  for (const node of nodes) {
    // A node that has yet to hear of other blocks knows what was in the ones that are gone.
    const isBehind = node.nextIndexed(Infinity)?.type === "BlocksReverted";
    if (!isBehind) checkBook(node, chain.blocks, settings);
  }
}

function checkBook(
  { name, height, holdings }: SimulatedNode,
  blocks: readonly Block[],
  { config, domain }: Settings,
): void {
  const states = new Map<StateId, State>();
  const spent = new Set<StateId>();
  for (const { transitions } of blocks.slice(0, height + 1))
    for (const { inputs, outputs } of transitions) {
      for (const id of inputs) spent.add(id);
      for (const state of outputs) states.set(state.id, state);
    }
  const isEndorser = config.committee.includes(name);
  for (const [id, state] of states) {
    const isKnown = holdings.has(id);
    const mayKnow = isEndorser || config.mayKnow(name, state);
    if (isKnown !== (mayKnow && !spent.has(id)))
      throw violation(
        "books",
        id,
        `${name} ${isKnown ? "should not know it" : "does not know it"}`,
      );
    if (isKnown && !isEndorser && !domain.concerns(name, state))
      throw violation("S42", id, `${name} sees what is not for him`);
  }
}
