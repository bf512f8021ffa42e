import type { NodeName } from "../ids.ts";
import type { MessageOf } from "../messages.ts";
import { ignore, nextRequest, send, type Turn } from "../turn.ts";
import { dissolve, findBundle, isExpiring, tellAll } from "./bundles.ts";
import { conflicts } from "./context.ts";
import type { BundleWork } from "./model.ts";
import { noteAnswer } from "./silence.ts";

/** What was only to be prepared is endorsed: it goes to the sender, whose user may execute it. It is never dispatched. */
export function handBack(turn: Turn, work: BundleWork): void {
  const { coordinator, tick, config } = turn.node;
  if (isExpiring(turn, work)) {
    dissolve(turn, work);
    return;
  }
  // It locks nothing: a step that will happen may have taken what it spends. What is known to be dead is built again.
  if (work.bundle.steps.some((step) => conflicts(coordinator, step))) {
    tellAll(turn, work, { type: "DependencyReverted" });
    return;
  }
  work.isAsking = true;
  work.dueTick = nextRequest(turn, 0, work.key);
  work.deadlineTick = tick + config.stateTicks;
  sendPrepared(turn, work);
}

/** Repeated until it is acknowledged. */
export function sendPrepared(
  turn: Turn,
  { unpermitted, key, bundle, endorsements }: BundleWork,
): void {
  for (const sender of [...unpermitted])
    send(turn, sender, {
      type: "TransactionPrepared",
      key,
      bundle,
      endorsements: [...endorsements.values()],
    });
}

/** The sender has it, or wants it no more. Nothing of it stays here. */
export function receivePreparedAck(
  turn: Turn,
  from: NodeName,
  { key, digest }: MessageOf<"TransactionPreparedAck">,
): void {
  const work = findBundle(turn.node.coordinator, key, digest);
  if (work?.isForUser !== true || !work.unpermitted.has(from)) {
    ignore(turn, "stale acknowledgement");
    return;
  }
  noteAnswer(turn, from, "permission");
  tellAll(turn, work, { type: "Taken" });
}
