import { isUndispatched } from "../../protocol/coordinator/transaction/guards.ts";
import type { CoordinatorTransaction } from "../../protocol/coordinator/transaction/model.ts";
import type { LedgerFact } from "../../protocol/events.ts";
import type { NodeName, StateId } from "../../protocol/ids.ts";
import { limits } from "../../protocol/limits.ts";
import type { MessageOf } from "../../protocol/messages.ts";
import type { Sequencer } from "../../protocol/sequencer.ts";
import { candidates } from "../../protocol/turn.ts";
import type { SimulatedNode } from "../node.ts";
import { type Course, violation } from "./course.ts";

// What a node makes of its predecessors, and of other coordinators.

/** Takes note of what it waits for, if it does. */
export function noteFlush(course: Course, { coordinator }: Sequencer): void {
  course.flushUntil = coordinator.flushUntil;
  const { flush, flushDigests, imported } = coordinator;
  course.flush =
    flush.size === 0
      ? undefined
      : {
          ids: new Set(flush),
          digests: new Set(flushDigests),
          imported: new Set(imported.keys()),
        };
}

/** L8: nobody makes a successor wait for longer than a bundle can be valid, or believe that it is far behind. */
export function checkFlushPoint(
  node: SimulatedNode,
  { coordinator, height, config }: Sequencer,
  handover: MessageOf<"Handover">,
  course: Course,
): void {
  const { flushUntil } = coordinator;
  const seen = Math.max(
    height,
    Math.min(handover.height, height + limits.behindBlocks),
  );
  if (
    flushUntil > Math.max(course.flushUntil, seen + 2 * config.validForBlocks)
  )
    throw violation("L8", node, `waits for block ${flushUntil}`);
}

/** S25: when what a predecessor dispatched happens in another way, nothing stays that is built on his word. */
export function checkContext(
  node: SimulatedNode,
  { coordinator }: Sequencer,
  facts: readonly LedgerFact[],
  { flush }: Course,
): void {
  if (flush === undefined) return;
  const isFalse = facts.some(
    ({ intents, digest }) =>
      !flush.digests.has(digest) && intents.some((id) => flush.ids.has(id)),
  );
  if (!isFalse) return;
  const { imported, transactions } = coordinator;
  if (imported.size > 0)
    throw violation("S25", node, "keeps a context that is false");
  for (const transaction of transactions.values())
    if (isBuiltOn(transaction, flush.imported))
      throw violation("S25", node, "keeps a step on a context that is false");
}

/** S27: whoever learns that he was too quick takes back what cannot happen beside his predecessor's work. */
export function checkSteppedBack(
  node: SimulatedNode,
  { coordinator }: Sequencer,
  { context }: MessageOf<"Handover">,
  { coordinatorState }: Course,
): void {
  const { state, bundles, transactions } = coordinator;
  if (coordinatorState !== "Active" || state !== "Prepared") return;
  if (bundles[0]?.isAsking === true)
    throw violation(
      "S27",
      node,
      "goes on asking for what it must not dispatch",
    );
  const spent = new Set(context.spent);
  for (const transaction of transactions.values())
    if (isBuiltOn(transaction, spent))
      throw violation(
        "S27",
        node,
        "keeps a step that its predecessor's rule out",
      );
}

/** Whether a step that is not dispatched uses one of these. */
function isBuiltOn(
  { step, state }: CoordinatorTransaction,
  states: ReadonlySet<StateId>,
): boolean {
  if (step === undefined || !isUndispatched(state)) return false;
  return (
    step.inputs.some((id) => states.has(id)) ||
    step.reads.some((id) => states.has(id))
  );
}

/** S27: a predecessor learns from a block that his work is over, so what he said up to his handover is no proof of it. */
export function checkClosing(
  node: SimulatedNode,
  { coordinator }: Sequencer,
  from: NodeName,
  { height }: MessageOf<"Heartbeat">,
  { coordinatorState, predecessor }: Course,
): void {
  const { state, handoverHeight } = coordinator;
  if (coordinatorState !== "Prepared" || state !== "Active") return;
  if (predecessor === from && height <= handoverHeight)
    throw violation(
      "S27",
      node,
      `believes what ${from} said before its work was over`,
    );
}

/** S41: a heartbeat that comes after a newer one says nothing. */
export function checkBeat(
  node: SimulatedNode,
  sequencer: Sequencer,
  from: NodeName,
  { boot, beat }: MessageOf<"Heartbeat">,
  { beats }: Course,
): void {
  if (!candidates(sequencer).includes(from)) return;
  const { tick, config } = sequencer;
  const newest = beats.get(from);
  const isLate =
    newest !== undefined &&
    tick - newest.tick <= config.suspicionTicks &&
    (boot < newest.boot || (boot === newest.boot && beat < newest.beat));
  if (!isLate) {
    beats.set(from, { boot, beat, tick });
    return;
  }
  const last = sequencer.beats.get(from);
  if (last?.boot !== newest.boot || last.beat !== newest.beat)
    throw violation("S41", node, `believes an old heartbeat of ${from}`);
}
