import type { Effect } from "../../protocol/effects.ts";
import type { Event } from "../../protocol/events.ts";
import { limits } from "../../protocol/limits.ts";
import type { MessageOf } from "../../protocol/messages.ts";
import { digestOf } from "../../protocol/outline.ts";
import type { Sequencer } from "../../protocol/sequencer.ts";
import type { Bundle } from "../../protocol/transition.ts";
import type { SimulatedNode } from "../node.ts";
import { type Course, violation } from "./course.ts";

/**
 * S30: an endorser looks at a bundle before its domain does. A domain may check the same things again, so what a run
 * comes to does not show whether it did.
 */
export function checkSigned(
  node: SimulatedNode,
  { config, height }: Sequencer,
  event: Event,
  effects: readonly Effect[],
  course: Course,
): void {
  for (const effect of effects) {
    if (effect.type === "Endorse") {
      if (digestOf(config.hashing, effect.bundle) !== effect.bundle.digest)
        throw violation("S30", node, "checks a bundle under a wrong digest");
      checkTimely(node, height, effect.bundle, course);
      checkBounds(node, { config, height }, effect.bundle);
    }
    // A signature that is given again; the first one is the domain's business.
    if (effect.type !== "Send" || effect.message.type !== "Endorsement")
      continue;
    if (event.type !== "MessageReceived") continue;
    const { message } = event;
    if (
      message.type === "EndorsementRequest" &&
      message.bundle.digest === effect.message.digest
    )
      checkTimely(node, height, message.bundle, course);
  }
}

function checkTimely(
  node: SimulatedNode,
  height: number,
  { validUntil, steps }: Bundle,
  { fulfilled }: Course,
): void {
  if (validUntil < height)
    throw violation("S30", node, "endorses what can no longer happen");
  if (steps.some(({ intentId }) => fulfilled.has(intentId)))
    throw violation("S30", node, "endorses what has happened");
}

/** How many times as long as it would make it itself an endorser lets a bundle be valid. */
const validitiesMax = 4;

/** What its senders allow, and what they may speak for. */
function checkBounds(
  node: SimulatedNode,
  { config, height }: Pick<Sequencer, "config" | "height">,
  { steps, validUntil }: Bundle,
): void {
  if (
    validUntil === 0 ||
    validUntil > height + validitiesMax * config.validForBlocks
  )
    throw violation("S30", node, `endorses until block ${validUntil}`);
  for (const { intentId: id, sender, laneSalt, payload, ...step } of steps) {
    if (step.validUntil < validUntil)
      throw violation("S30", node, "endorses what its sender signed for less");
    if (!config.hashing.isOwnIntent({ id, sender, laneSalt, payload }))
      throw violation("S30", node, `endorses for ${sender} another's intent`);
  }
}

/** L22: nothing is kept for a claim that cannot be true. */
export function checkKept(
  node: SimulatedNode,
  { endorser, height }: Sequencer,
  request: MessageOf<"EndorsementRequest">,
): void {
  if (request.height <= height + limits.aheadBlocks) return;
  for (const requests of endorser.deferred.values())
    if (requests.includes(request))
      throw violation("L22", node, `waits for block ${request.height}`);
}
