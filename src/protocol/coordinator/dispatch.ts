import type { Digest, NodeName } from "../ids.ts";
import type { MessageOf } from "../messages.ts";
import { outlineOf } from "../outline.ts";
import type { DispatchRecord } from "../records.ts";
import {
  bySender,
  ignore,
  nextRequest,
  raise,
  send,
  type Turn,
} from "../turn.ts";
import { dissolve, findBundle, isExpiring, tellAll } from "./bundles.ts";
import { addDispatch } from "./indexes.ts";
import type { BundleWork, Coordinator } from "./model.ts";
import { noteOffence } from "./offences.ts";
import { noteAnswer } from "./silence.ts";
import { tellTransaction } from "./tell.ts";

/** Asks for permission for bundles that have their endorsements, in order: for none before those in front of it are asked for. */
export function askPermission(
  { bundles }: Coordinator,
  _event: unknown,
  turn: Turn,
): void {
  const next = bundles.findIndex(({ isAsking }) => !isAsking);
  if (next === -1) return;
  for (const work of bundles.slice(next)) {
    if (!work.isEndorsed) return;
    if (isExpiring(turn, work)) {
      dissolve(turn, work);
      return;
    }
    work.isAsking = true;
    work.tries = 0;
    work.dueTick = nextRequest(turn, 0, work.key);
    work.deadlineTick = turn.node.tick + turn.node.config.stateTicks;
    tellAll(turn, work, { type: "DependencyReady" });
    sendPermissionRequests(turn, work);
  }
}

/** Asks the senders that have not permitted it yet. */
export function sendPermissionRequests(
  turn: Turn,
  { unpermitted, key, bundle }: BundleWork,
): void {
  const outline = outlineOf(turn.node.config.hashing, bundle);
  const stepsOf = bySender(bundle.steps, (step) => step.sender);
  for (const sender of [...unpermitted])
    send(turn, sender, {
      type: "DispatchPermissionRequest",
      key,
      ids: (stepsOf.get(sender) ?? []).map(({ intentId }) => intentId),
      bundle: outline,
    });
}

/** A sender permits exactly this bundle. With the last permission it is dispatched, if it is the first, and so are those behind it. */
export function receivePermission(
  turn: Turn,
  from: NodeName,
  message: MessageOf<"DispatchPermission">,
): void {
  const { coordinator } = turn.node;
  const work = findBundle(coordinator, message.key, message.digest);
  if (
    work?.isAsking !== true ||
    work.isForUser ||
    !work.unpermitted.delete(from)
  ) {
    ignore(turn, "stale permission");
    return;
  }
  noteAnswer(turn, from, "permission");
  if (coordinator.state === "Active") dispatchPermitted(turn);
}

/** Dispatches in order: what is permitted waits for what is in front of it. */
function dispatchPermitted(turn: Turn): void {
  const { bundles } = turn.node.coordinator;
  for (
    let [work] = bundles;
    work?.isAsking === true && work.unpermitted.size === 0;
    [work] = bundles
  ) {
    // Many blocks may have come since it was asked for.
    if (isExpiring(turn, work)) {
      dissolve(turn, work);
      return;
    }
    dispatch(turn, work);
  }
}

/** Point of no return: durable before it is submitted or told. protocol.md#8, P1C. */
function dispatch(turn: Turn, work: BundleWork): void {
  const { coordinator } = turn.node;
  coordinator.bundles.shift();
  raise(turn, "BundleDispatched");
  tellAll(turn, work, { type: "DispatchConfirmed" });
  const record: DispatchRecord = {
    kind: "dispatch",
    bundle: work.bundle,
    endorsements: [...work.endorsements.values()],
    acknowledged: [],
  };
  turn.effects.push(
    { type: "Save", record },
    { type: "Submit", dispatch: record },
  );
  addDispatch(coordinator, record, nextRequest(turn, 0, work.key));
  tellAll(turn, work, { type: "Collected" });
  notifyDispatched(turn, record);
}

/** Tells the senders that do not know yet. */
export function notifyDispatched(
  turn: Turn,
  { bundle, acknowledged }: DispatchRecord,
): void {
  for (const [sender, steps] of bySender(bundle.steps, (step) => step.sender)) {
    if (acknowledged.includes(sender)) continue;
    send(turn, sender, {
      type: "Dispatched",
      digest: bundle.digest,
      ids: steps.map(({ intentId }) => intentId),
    });
  }
}

/** A sender knows. Durable before the notice is no longer repeated: protocol.md#8, P2C. */
export function acknowledgeDispatch(
  turn: Turn,
  from: NodeName,
  digest: Digest,
): void {
  const work = turn.node.coordinator.dispatched.get(digest);
  if (work === undefined || work.record.acknowledged.includes(from)) return;
  work.record = {
    ...work.record,
    acknowledged: [...work.record.acknowledged, from],
  };
  turn.effects.push({ type: "Save", record: work.record });
}

/** A sender takes some of its transactions out of a bundle. */
export function receiveDenial(
  turn: Turn,
  from: NodeName,
  message: MessageOf<"DispatchDenial">,
): void {
  const { coordinator } = turn.node;
  const work = findBundle(coordinator, message.key, message.digest);
  if (work === undefined) {
    ignore(turn, "stale denial");
    return;
  }
  noteAnswer(turn, from, "permission");
  let isAnyGone = false;
  for (const { id } of message.denied) {
    const transaction = coordinator.transactions.get(id);
    if (transaction?.sender !== from) continue;
    isAnyGone =
      tellTransaction(turn, transaction, {
        type: "DispatchConfirmationRejected",
      }) || isAnyGone;
  }
  if (!isAnyGone) return;
  noteOffence(turn, from);
  dissolve(turn, work);
}
