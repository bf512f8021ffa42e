import type { NodeName } from "../ids.ts";
import { limits } from "../limits.ts";
import type { Sequencer, Turn } from "../turn.ts";

/** Whether the steps of a sender are kept out of the bundles of others for now, because they spoiled one. */
export function isOffender(
  { coordinator, tick }: Sequencer,
  sender: NodeName,
): boolean {
  return (coordinator.offences.get(sender)?.untilTick ?? 0) > tick;
}

/**
 * Because of a sender, a bundle was taken apart: its step was refused, or it did not permit what it had assembled. For a while,
 * longer each time, its steps go into bundles of their own.
 */
export function noteOffence(
  { node: { coordinator, tick, config } }: Turn,
  sender: NodeName,
): void {
  const longest = config.stateTicks * limits.pause;
  const last = coordinator.offences.get(sender);
  const isAgain = last !== undefined && tick <= last.untilTick + longest;
  const count = isAgain ? last.count + 1 : 1;
  const whileTicks = Math.min(config.stateTicks * 2 ** count, longest);
  coordinator.offences.set(sender, { count, untilTick: tick + whileTicks });
}
