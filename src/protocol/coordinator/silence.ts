import type { NodeName } from "../ids.ts";
import { limits } from "../limits.ts";
import { idsOf, type Sequencer, type Turn } from "../turn.ts";
import { sendReturned } from "./actions.ts";
import type { Coordinator } from "./model.ts";
import { tellTransaction } from "./tell.ts";
import { isUndispatched } from "./transaction/guards.ts";

/** Whether a sender is not asked for now, because it did not answer. */
export function isPaused(
  { coordinator, tick }: Sequencer,
  sender: NodeName,
): boolean {
  return (coordinator.silences.get(sender)?.untilTick ?? 0) > tick;
}

/** A sender answered in time. */
export function noteAnswer({ silences }: Coordinator, sender: NodeName): void {
  silences.delete(sender);
}

/**
 * A sender did not answer in time. All that it has here goes back to it, so that others wait for it once, and not once
 * for each of its transactions. If it lives it delegates again, and is asked after a pause, a longer one each time.
 */
export function noteSilence(turn: Turn, sender: NodeName): void {
  const { coordinator, tick, config } = turn.node;
  const { silences, assemblies, bySender, pools, turns } = coordinator;
  const count = (silences.get(sender)?.count ?? 0) + 1;
  // Short for who has lost a message, and soon long for who never answers.
  const pause = Math.min(
    config.retryTicks * 4 ** count,
    config.stateTicks * limits.pause,
  );
  silences.set(sender, { count, untilTick: tick + pause });
  for (const [key, { to }] of assemblies)
    if (to === sender) assemblies.delete(key);
  const returned = [...(bySender.get(sender)?.values() ?? [])].filter(
    ({ state }) => isUndispatched(state),
  );
  // What follows another goes first: nobody needs to tell it then.
  for (const transaction of returned.toReversed())
    tellTransaction(turn, transaction, { type: "Withdrawn" });
  pools.delete(sender);
  if (turns.includes(sender)) turns.splice(turns.indexOf(sender), 1);
  sendReturned(turn, sender, idsOf(returned));
}
