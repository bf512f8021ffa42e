import type { Effect } from "../../protocol/effects.ts";
import type { Event, LedgerFact } from "../../protocol/events.ts";
import type {
  Digest,
  IntentId,
  NodeName,
  RequestKey,
} from "../../protocol/ids.ts";
import type { MessageOf } from "../../protocol/messages.ts";
import type { IntentRecord } from "../../protocol/records.ts";
import type { Sequencer } from "../../protocol/sequencer.ts";
import type { Intent, StepOutline } from "../../protocol/transition.ts";
import { candidates, graceTicks, isSilent } from "../../protocol/turn.ts";
import type { SimulatedNode } from "../node.ts";
import { type Course, violation } from "./course.ts";

/** L4: what a coordinator gave back, or has forgotten, does not stay with it. */
export function checkReleased(
  node: SimulatedNode,
  { sender }: Sequencer,
  from: NodeName,
  isGone: (id: IntentId) => boolean,
): void {
  for (const {
    id,
    sentTo,
    isAccepted,
    state,
  } of sender.transactions.values()) {
    if (sentTo !== from || !isAccepted || !isGone(id)) continue;
    if (state === "Delegated" || state === "EndorsementGathering")
      throw violation("L4", node, `leaves ${id.slice(0, 10)} with ${from}`);
  }
}

/** S16: what is permitted is exactly what was asked, assembled and signed, and the asker is the delegate. */
export function checkPermitted(
  node: SimulatedNode,
  { config, height }: Sequencer,
  from: NodeName,
  { bundle }: MessageOf<"DispatchPermissionRequest">,
  { delegates, hashes, deadlines }: Course,
): void {
  const { steps, validUntil, digest } = bundle;
  if (config.hashing.bundleDigest(bundle) !== digest)
    throw violation("S16", node, "permits what it has not seen");
  if (validUntil <= height)
    throw violation("S16", node, "permits what can no longer happen");
  if (validUntil > height + 4 * config.validForBlocks)
    throw violation("S16", node, `permits until block ${validUntil}`);
  for (const { intentId, hash } of steps) {
    const record = node.disk.records.get(`intent:${intentId}`);
    if (record?.kind !== "intent") continue;
    const last = record.permission;
    if (last?.digest === digest && last.coordinator === from) continue;
    if ((delegates.get(intentId) ?? from) !== from)
      throw violation("S16", node, `permits ${from}, who is not its delegate`);
    if ((hashes.get(intentId) ?? hash) !== hash)
      throw violation("S16", node, "permits another step than its last");
    if (validUntil > (deadlines.get(intentId) ?? Infinity))
      throw violation(
        "S16",
        node,
        "permits its step for longer than it signed",
      );
    checkOrder(node, record.intent, steps);
  }
}

/** Takes note of a bundle that somebody wants to dispatch. */
export function noteAsked(
  { asked }: Course,
  from: NodeName,
  { ids, bundle }: MessageOf<"DispatchPermissionRequest">,
): void {
  const earlier = asked.get(from) ?? new Map<Digest, readonly IntentId[]>();
  for (const [digest, others] of earlier)
    if (others.some((id) => ids.includes(id))) earlier.delete(digest);
  earlier.set(bundle.digest, ids);
  asked.set(from, earlier);
}

/** S16: a permission is for the bundle that its coordinator asked about last. */
export function checkSuperseded(
  node: SimulatedNode,
  effects: readonly Effect[],
  { asked }: Course,
): void {
  for (const effect of effects) {
    if (effect.type !== "Send") continue;
    const { message, to } = effect;
    if (message.type !== "DispatchPermission") continue;
    if (asked.get(to)?.has(message.digest) !== true)
      throw violation("S16", node, `permits what ${to} no longer wants`);
  }
}

/** What an intent depends on is on the ledger, as its node sees it, or comes before it in the same bundle. */
function checkOrder(
  node: SimulatedNode,
  { id, dependsOn }: Intent,
  steps: readonly StepOutline[],
): void {
  const ids = steps.map(({ intentId }) => intentId);
  const before = ids.slice(0, ids.indexOf(id));
  for (const dependency of dependsOn)
    if (!node.holdings.isFulfilled(dependency) && !before.includes(dependency))
      throw violation("dependsOn", node, "permits what is not its turn");
}

/** S43: an assembly ends only what reverts on the ledger alone, with all that it depends on, or has no retries left. */
export function checkEnded(
  node: SimulatedNode,
  { key, outcomes }: Extract<Event, { readonly type: "AssemblyDone" }>,
  effects: readonly Effect[],
  {
    hopeless,
    retriesMax,
  }: Pick<Course, "hopeless"> & {
    readonly retriesMax: number;
  },
): void {
  const ended = new Map<IntentId, IntentRecord>();
  for (const effect of effects)
    if (effect.type === "Save" && effect.record.kind === "intent") {
      const { intent, receipt, isDoomed } = effect.record;
      if (receipt?.type === "Reverted" || isDoomed)
        ended.set(intent.id, effect.record);
    }
  for (const { id, type } of outcomes) {
    const record = ended.get(id);
    const { dependsOn = [] } = record?.intent ?? {};
    // It ends because another one does.
    if (record === undefined || dependsOn.some((other) => ended.has(other)))
      continue;
    const isAllowed =
      type === "error"
        ? record.retries >= retriesMax
        : hopeless.get(key)?.has(id) === true;
    if (
      !isAllowed ||
      !dependsOn.every((other) => node.holdings.isFulfilled(other))
    )
      throw violation("S43", node, `ends ${id.slice(0, 10)} on another's word`);
  }
}

/** L3: whoever did not answer is skipped for a while, as long as there is somebody else to ask. */
export function checkSkipped(
  node: SimulatedNode,
  sequencer: Sequencer,
  to: NodeName,
  key: RequestKey,
  { unanswered }: Course,
): void {
  const { config, tick } = sequencer;
  const last = unanswered.get(to);
  for (const other of unanswered.keys())
    if (other !== to) unanswered.delete(other);
  if (last?.key === key) {
    last.sends += 1;
    last.tick = tick;
    return;
  }
  unanswered.set(to, { key, sends: 1, tick });
  if (last === undefined || last.sends <= config.heartbeatGrace) return;
  if (tick - last.tick >= config.suspicionTicks) return;
  if (tick - last.tick < config.retryTicks) return;
  // Who is about to hand over takes nothing up, not even for itself.
  const isLeaving = sequencer.coordinator.state === "Flush";
  const hasOther = candidates(sequencer).some(
    (other) =>
      other !== to &&
      !isSilent(sequencer, other) &&
      !(isLeaving && other === node.name),
  );
  if (hasOther)
    throw violation("L3", node, `asks ${to} again, who does not answer`);
}

/** L10: what failed, or was postponed, is tried again, but not at once. */
export function checkRetried(
  node: SimulatedNode,
  { config, tick }: Sequencer,
  { intents }: MessageOf<"DelegationRequest">,
  { retries, postponed }: Course,
): void {
  const { retryTicks, requestTicksMax } = config;
  for (const { id } of intents) {
    if (tick < (postponed.get(id) ?? -Infinity) + retryTicks)
      throw violation("L10", node, `does not wait with ${id.slice(0, 10)}`);
    const last = retries.get(id);
    if (last === undefined) continue;
    const pause = Math.min(retryTicks * 2 ** last.count, requestTicksMax);
    if (tick < last.tick + pause)
      throw violation("L10", node, `tries ${id.slice(0, 10)} again at once`);
  }
}

/** S35: what was confirmed in blocks that are gone is open again. */
export function checkReopened(
  node: SimulatedNode,
  { sender }: Sequencer,
  reopened: readonly IntentRecord[],
): void {
  for (const { intent } of reopened)
    if (!sender.transactions.has(intent.id))
      throw violation(
        "S35",
        node,
        `leaves ${intent.id.slice(0, 10)} confirmed`,
      );
}

/** S35: whatever depends on what was taken back waits for it again. */
export function checkWaitingAgain(
  node: SimulatedNode,
  { sender }: Sequencer,
  facts: readonly LedgerFact[],
): void {
  const lost = new Set(facts.flatMap(({ intents }) => intents));
  if (lost.size === 0) return;
  for (const { id, intent, prepared, waitsFor } of sender.transactions.values())
    if (prepared === undefined)
      for (const dependency of intent.dependsOn)
        if (lost.has(dependency) && !waitsFor.has(dependency))
          throw violation(
            "S35",
            node,
            `does not wait again with ${id.slice(0, 10)}`,
          );
}

/** L3: nothing stays with a coordinator that is not heard. */
export function checkHeard(
  node: SimulatedNode,
  { sender, config, tick }: Sequencer,
  { delegate, heardTicks }: Course,
): void {
  if (delegate === undefined || delegate === node.name) return;
  const heardTick = heardTicks.get(delegate) ?? 0;
  if (tick - heardTick <= graceTicks(config) + 1) return;
  for (const { sentTo, isAccepted, state } of sender.transactions.values())
    if (sentTo === delegate && isAccepted && state === "Delegated")
      throw violation("L3", node, `waits for ${delegate}, who is silent`);
}
