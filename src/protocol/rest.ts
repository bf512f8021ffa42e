import type { Coordinator } from "./coordinator/model.ts";
import type { Endorser } from "./endorser.ts";
import type { Event } from "./events.ts";
import { popUntil } from "./heap.ts";
import { invariant } from "./invariant.ts";
import type { Sender } from "./sender/model.ts";
import { expireSigned } from "./signed.ts";
import type { Sequencer, Turn } from "./turn.ts";

/**
 * Whether nothing here waits for time or for blocks: ticks, and blocks in which nothing happens to the group, would change
 * nothing but the clock and the height. Who runs it may keep those back, and say how many there were before anything else.
 */
export function isAtRest({
  coordinator,
  sender,
  endorser,
}: Sequencer): boolean {
  return (
    hasNothingToCoordinate(coordinator) &&
    hasNothingToSend(sender) &&
    hasNothingToCheck(endorser)
  );
}

/** No work, none of another's to remember, and no other coordinator whose silence would be noticed. */
function hasNothingToCoordinate({
  state,
  transactions,
  over,
  assemblies,
  bundles,
  preparations,
  flushOwner,
  dispatched,
  handovers,
}: Coordinator): boolean {
  return (
    state === "Idle" &&
    transactions.size === 0 &&
    over.length === 0 &&
    assemblies.size === 0 &&
    bundles.length === 0 &&
    preparations.length === 0 &&
    flushOwner === undefined &&
    dispatched.size === 0 &&
    handovers.size === 0
  );
}

function hasNothingToSend({
  state,
  transactions,
  dependants,
  doubts,
  first,
  waitForRange,
  assembly,
  undecided,
}: Sender): boolean {
  return (
    state === "Idle" &&
    transactions.size === 0 &&
    dependants.size === 0 &&
    doubts.size === 0 &&
    first === undefined &&
    waitForRange === undefined &&
    assembly === undefined &&
    undecided.length === 0
  );
}

function hasNothingToCheck({ checking, deferred }: Endorser): boolean {
  return checking.size === 0 && deferred.size === 0;
}

/** Ticks and blocks that were kept back from a group at rest, all at once. */
export function catchUp(
  { node }: Turn,
  { ticks, height }: Extract<Event, { readonly type: "Rested" }>,
): void {
  invariant(isAtRest(node), "only a group at rest misses ticks");
  const { coordinator, sender, endorser, config } = node;
  const beatTicks = Math.max(1, config.heartbeatTicks);
  const firstBeat = Math.max(
    node.tick + 1,
    coordinator.heartbeatTick + config.heartbeatTicks,
  );
  node.tick += ticks;
  if (node.tick >= firstBeat)
    coordinator.heartbeatTick =
      node.tick - ((node.tick - firstBeat) % beatTicks);
  if (height <= node.height) return;
  node.height = height;
  // Of permissions for what is over.
  popUntil(sender.expiries, height);
  expireSigned(endorser.signed, height);
}
