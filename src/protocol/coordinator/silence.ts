import type { IntentId, NodeName, RequestKey } from "../ids.ts";
import { limits } from "../limits.ts";
import { idsOf, raise, type Sequencer, type Turn } from "../turn.ts";
import { sendReturned } from "./actions.ts";
import type { Question } from "./model.ts";
import { tellTransaction } from "./tell.ts";
import { isUndispatched } from "./transaction/guards.ts";

/** Whether a sender is not asked for now, because it did not answer. */
export function isPaused(
  { coordinator, tick }: Sequencer,
  sender: NodeName,
): boolean {
  return (coordinator.silences.get(sender)?.untilTick ?? 0) > tick;
}

/** A sender answered in time. That it assembles does not mean that it permits anything, nor the other way round. */
export function noteAnswer(
  turn: Turn,
  sender: NodeName,
  question: Question,
): void {
  const { silences } = turn.node.coordinator;
  const silence = silences.get(sender);
  if (silence === undefined) return;
  const left = { ...silence, [question]: 0 };
  if (left.assembly + left.permission > 0) {
    silences.set(sender, left);
    return;
  }
  silences.delete(sender);
  raise(turn, "SenderAnswered");
}

/** A request for assembly is answered, or nobody waits for the answer any more. */
export function closeAssembly(turn: Turn, key: RequestKey): void {
  turn.node.coordinator.assemblies.delete(key);
  raise(turn, "AssemblyFinished");
}

/**
 * A sender did not answer in time. All that it has here goes back to it, so that others wait for it once, and not once
 * for each of its transactions. If it lives it delegates again, and is asked after a pause, a longer one each time.
 */
export function noteSilence(
  turn: Turn,
  sender: NodeName,
  question: Question,
): void {
  const { coordinator, tick, config } = turn.node;
  const { silences, assemblies, bySender, pools, turns } = coordinator;
  const { assembly = 0, permission = 0 } = silences.get(sender) ?? {};
  const counts = { assembly, permission };
  counts[question] += 1;
  const count = assembly + permission + 1;
  // Short for who has lost a message, and soon long for who never answers.
  const pause = Math.min(
    config.retryTicks * 4 ** count,
    config.stateTicks * limits.pause,
  );
  silences.set(sender, { ...counts, untilTick: tick + pause });
  for (const [key, { to }] of assemblies)
    if (to === sender) closeAssembly(turn, key);
  const returned = [...(bySender.get(sender)?.values() ?? [])].filter(
    ({ state }) => isUndispatched(state),
  );
  returnTo(turn, sender, idsOf(returned));
  pools.delete(sender);
  if (turns.includes(sender)) turns.splice(turns.indexOf(sender), 1);
}

/** Gives a sender back what is not dispatched. */
export function returnTo(
  turn: Turn,
  sender: NodeName,
  ids: readonly IntentId[],
): void {
  const { transactions } = turn.node.coordinator;
  // What follows another goes first: nobody needs to tell it then.
  for (const id of ids.toReversed()) {
    const transaction = transactions.get(id);
    if (transaction !== undefined)
      tellTransaction(turn, transaction, { type: "Withdrawn" });
  }
  sendReturned(turn, sender, ids);
}
