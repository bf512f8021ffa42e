import type { SequencerConfig } from "./config.ts";
import { returnTo } from "./coordinator/silence.ts";
import { isUndispatched } from "./coordinator/transaction/guards.ts";
import type { NodeName } from "./ids.ts";
import { limits } from "./limits.ts";
import type { MessageOf } from "./messages.ts";
import { tellCoordinator } from "./tell.ts";
import {
  candidates,
  idsOf,
  ignore,
  isMember,
  newKey,
  patienceTicks,
  raise,
  send,
  type Sequencer,
  type Turn,
} from "./turn.ts";

// A coordinator that is heard and does nothing for a sender: the sender tells the others, and all of them pass it over for a
// while. Heartbeats do not change that. One word is enough, as the one that it concerns may be the only sender; but nobody
// is listened to often.

/** Ticks for which a node is passed over, longer each time. */
function passedOverTicks(config: SequencerConfig, count: number): number {
  return patienceTicks(config) * Math.min(4 ** (count - 1), limits.suspicion);
}

/** A coordinator made no progress in time: this node passes it over, and tells the others. */
export function suspect(turn: Turn, suspected: NodeName): void {
  const { suspects, config, tick } = turn.node;
  const count = (suspects.get(suspected)?.count ?? 0) + 1;
  const untilTick = tick + passedOverTicks(config, count);
  suspects.set(suspected, { key: newKey(turn), count, untilTick });
  raise(turn, "CoordinatorKnown");
  passOver(turn.node, suspected);
  repeatSuspicions(turn);
}

/** Tells the others whom this node suspects: they may not have heard it. */
export function repeatSuspicions(turn: Turn): void {
  const { suspects, config, tick } = turn.node;
  for (const [of, { key, untilTick }] of suspects) {
    if (untilTick <= tick) continue;
    for (const member of config.members)
      if (member !== config.self)
        send(turn, member, { type: "Suspicion", key, of });
  }
}

/**
 * Another member suspects a coordinator. What it says again changes nothing, and what it says anew counts after a while, a longer
 * one each time: a member that wants to move the role around does so seldom.
 */
export function receiveSuspicion(
  turn: Turn,
  from: NodeName,
  { key, of }: MessageOf<"Suspicion">,
): void {
  const { node } = turn;
  const { suspicions, config, tick } = node;
  const last = suspicions.get(from);
  if (last?.key === key) return;
  if (of === config.self) giveBack(turn, from);
  const isRelevant = isMember(node, from) && candidates(node).includes(of);
  if (!isRelevant || from === of || tick < (last?.untilTick ?? 0)) {
    ignore(turn, "suspicion");
    return;
  }
  const longest = passedOverTicks(config, Infinity);
  const isAgain = last !== undefined && tick <= last.untilTick + longest;
  const count = isAgain ? last.count + 1 : 1;
  const untilTick = tick + passedOverTicks(config, count);
  suspicions.set(from, { key, of, count, untilTick });
  raise(turn, "CoordinatorKnown");
  passOver(node, of);
  // All others pass this node over as well.
  if (of === config.self)
    for (const sender of [...node.coordinator.bySender.keys()])
      giveBack(turn, sender);
}

/** Whoever suspects this node takes back what it has of it: to go on with that would be in vain. */
function giveBack(turn: Turn, sender: NodeName): void {
  const { bySender } = turn.node.coordinator;
  const own = [...(bySender.get(sender)?.values() ?? [])];
  const undispatched = own.filter(({ state }) => isUndispatched(state));
  if (undispatched.length === 0) return;
  returnTo(turn, sender, idsOf(undispatched));
  tellCoordinator(turn, { type: "WorkReturned" });
}

/** Whatever it says about itself no longer counts. */
function passOver({ coordinator, sender }: Sequencer, node: NodeName): void {
  if (coordinator.other?.node === node) coordinator.other = undefined;
  if (sender.active?.node === node) sender.active = undefined;
}

/**
 * Others coordinate under that node, and do not take its place: whoever suspects it has not told them. What this node has found out
 * itself stays, and nobody is listened to sooner again.
 */
export function disbelieve({ suspicions }: Sequencer, node: NodeName): void {
  for (const [from, suspicion] of suspicions)
    if (suspicion.of === node)
      suspicions.set(from, { ...suspicion, of: undefined });
}

/** It brought something of this node's onto the ledger: that alone speaks for it. */
export function trust({ suspects, tick }: Sequencer, node: NodeName): void {
  const suspicion = suspects.get(node);
  if (suspicion === undefined) return;
  const count = suspicion.count - 1;
  if (count === 0) suspects.delete(node);
  else suspects.set(node, { ...suspicion, count, untilTick: tick });
}
