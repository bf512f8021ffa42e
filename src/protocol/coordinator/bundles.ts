import type { Digest, IntentId, NodeName } from "../ids.ts";
import { limits } from "../limits.ts";
import type { MessageOf } from "../messages.ts";
import type { DispatchRecord } from "../records.ts";
import type { State, Step } from "../transition.ts";
import {
  bySender,
  ignore,
  newKey,
  nextTry,
  rangeOf,
  send,
  type Turn,
} from "../turn.ts";
import { addDispatch } from "./indexes.ts";
import type { BundleWork, Coordinator } from "./model.ts";
import { tellTransaction } from "./tell.ts";
import type {
  CoordinatorTransaction,
  CoordinatorTransactionEvent,
} from "./transaction/model.ts";

/** Bundles whatever is assembled, as long as few bundles are on their way. */
export function formBundles(turn: Turn): void {
  const { coordinator, config, height, tick } = turn.node;
  while (
    coordinator.assembled.size > 0 &&
    coordinator.bundles.length < limits.bundles
  ) {
    const steps = takeAssembled(coordinator);
    if (steps.length === 0) continue;
    const validUntil = height + config.validForBlocks;
    const bundle = {
      steps,
      validUntil,
      digest: config.hashing.bundleDigest(steps, validUntil),
    };
    const key = newKey(turn);
    const work: BundleWork = {
      bundle,
      ids: new Set(steps.map(({ intentId }) => intentId)),
      key,
      view: { created: statesFromOutside(coordinator, steps), spent: [] },
      endorsements: new Map(),
      refusals: new Map(),
      unpermitted: new Set(steps.map(({ sender }) => sender)),
      isEndorsed: false,
      isAsking: false,
      tries: 0,
      dueTick: nextTry(turn, 0, key),
      deadlineTick: tick + config.stateTicks,
    };
    coordinator.bundles.push(work);
    askEndorsers(turn, work);
  }
}

/** The steps that wait longest, as many as fit. */
function takeAssembled({ assembled, transactions }: Coordinator): Step[] {
  const steps: Step[] = [];
  for (const id of assembled) {
    if (steps.length === limits.bundle) break;
    assembled.delete(id);
    const { step } = transactions.get(id) ?? {};
    if (step !== undefined) steps.push(step);
  }
  return steps;
}

/** Contents of what the steps use and transactions in flight outside of the bundle create. */
function statesFromOutside(
  coordinator: Coordinator,
  steps: readonly Step[],
): State[] {
  const inside = new Set(steps.map(({ intentId }) => intentId));
  const used = new Set(
    steps.flatMap(({ inputs, reads }) => [...inputs, ...reads]),
  );
  const states: State[] = [];
  for (const id of inside) {
    for (const producerId of coordinator.transactions.get(id)?.builtOn ?? []) {
      if (inside.has(producerId)) continue;
      for (const state of coordinator.transactions.get(producerId)?.step
        ?.outputs ?? []) {
        if (used.has(state.id)) states.push(state);
      }
    }
  }
  for (const id of used) {
    const state = coordinator.imported.get(id);
    if (state !== undefined) states.push(state);
  }
  return states;
}

function askEndorsers(
  turn: Turn,
  { bundle, key, view, endorsements, refusals }: BundleWork,
): void {
  const { config, height } = turn.node;
  for (const endorser of config.committee) {
    if (endorsements.has(endorser) || refusals.has(endorser)) continue;
    send(turn, endorser, {
      type: "EndorsementRequest",
      key,
      coordinator: config.self,
      height,
      bundle,
      view,
    });
  }
}

function findBundle(
  { bundles }: Coordinator,
  key: string,
  digest: Digest,
): BundleWork | undefined {
  return bundles.find(
    (work) => work.key === key && work.bundle.digest === digest,
  );
}

/** An endorser signed. The runtime has checked the signature. */
export function receiveEndorsement(
  turn: Turn,
  from: NodeName,
  message: MessageOf<"Endorsement">,
): void {
  const { coordinator, config } = turn.node;
  const work = findBundle(coordinator, message.key, message.digest);
  if (work === undefined || !config.committee.includes(from)) {
    ignore(turn, "stale endorsement");
    return;
  }
  const { digest, signature } = message;
  work.refusals.delete(from);
  work.endorsements.set(from, { endorser: from, digest, signature });
  if (work.isEndorsed || work.endorsements.size < config.threshold) return;
  work.isEndorsed = true;
  work.tries = 0;
  work.deadlineTick = turn.node.tick + config.stateTicks;
  tellAll(turn, work, { type: "Endorsed" });
}

/** An endorser refused. Once too many did, the step they blame falls; without one, all do. */
export function receiveRefusal(
  turn: Turn,
  from: NodeName,
  message: MessageOf<"Refusal">,
): void {
  const { node } = turn;
  const { coordinator, config } = node;
  const work = findBundle(coordinator, message.key, message.digest);
  if (
    work === undefined ||
    work.isEndorsed ||
    !config.committee.includes(from)
  ) {
    ignore(turn, "stale refusal");
    return;
  }
  if (message.reason === "not-coordinator") {
    // The endorser is ahead: the boundary will reach this node too. Behind: it is asked again.
    if (rangeOf(node, message.height) > rangeOf(node, node.height))
      work.dueTick = nextTry(turn, work.tries + 1, work.key);
    return;
  }
  work.refusals.set(from, message.intentId);
  if (config.committee.length - work.refusals.size >= config.threshold) return;
  rejectBlamed(turn, work, message.detail);
  dissolve(turn, work);
}

/** The steps that endorsers blame fall; if they blame none, all do. */
function rejectBlamed(
  turn: Turn,
  { refusals, bundle }: BundleWork,
  detail: string,
): void {
  const blamed = new Set([...refusals.values()].flatMap((id) => id ?? []));
  const culprits = bundle.steps.filter(
    ({ intentId }) => blamed.size === 0 || blamed.has(intentId),
  );
  for (const { intentId } of culprits) {
    const transaction = turn.node.coordinator.transactions.get(intentId);
    if (transaction !== undefined)
      tellTransaction(turn, transaction, { type: "EndorsedRejected", detail });
  }
}

/** Asks the senders in the first bundle for permission, once it has its endorsements. */
export function askPermission(turn: Turn): void {
  const { coordinator } = turn.node;
  const [work] = coordinator.bundles;
  if (work === undefined || !work.isEndorsed || work.isAsking) return;
  if (isExpiring(turn, work)) {
    dissolve(turn, work);
    return;
  }
  work.isAsking = true;
  work.tries = 0;
  work.dueTick = nextTry(turn, 0, work.key);
  work.deadlineTick = turn.node.tick + turn.node.config.stateTicks;
  tellAll(turn, work, { type: "DependencyReady" });
  sendPermissionRequests(turn, work);
}

function sendPermissionRequests(
  turn: Turn,
  { unpermitted, key, bundle }: BundleWork,
): void {
  for (const sender of [...unpermitted])
    send(turn, sender, { type: "DispatchPermissionRequest", key, bundle });
}

/** A sender permits exactly this bundle. With the last permission it is dispatched. */
export function receivePermission(
  turn: Turn,
  from: NodeName,
  message: MessageOf<"DispatchPermission">,
): void {
  const { coordinator } = turn.node;
  const work = findBundle(coordinator, message.key, message.digest);
  if (
    work === undefined ||
    !work.isAsking ||
    coordinator.bundles[0] !== work ||
    !work.unpermitted.delete(from)
  ) {
    ignore(turn, "stale permission");
    return;
  }
  if (work.unpermitted.size > 0 || coordinator.state !== "Active") return;
  dispatch(turn, work);
}

/** Point of no return: durable before it is submitted or told. protocol.md#8, P1C. */
function dispatch(turn: Turn, work: BundleWork): void {
  const { coordinator } = turn.node;
  coordinator.bundles.shift();
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
  addDispatch(coordinator, record, nextTry(turn, 0, work.key));
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
  let isAnyGone = false;
  for (const { id } of message.denied) {
    const transaction = coordinator.transactions.get(id);
    if (transaction?.sender !== from) continue;
    isAnyGone =
      tellTransaction(turn, transaction, {
        type: "DispatchConfirmationRejected",
      }) || isAnyGone;
  }
  if (isAnyGone) dissolve(turn, work);
}

/** Repeats what was not answered; gives up what takes too long. */
export function watchBundles(turn: Turn): void {
  const { coordinator, tick } = turn.node;
  for (const work of [...coordinator.bundles]) {
    if (!coordinator.bundles.includes(work)) continue;
    if (tick >= work.deadlineTick && (work.isAsking || !work.isEndorsed)) {
      giveUpOnBundle(turn, work);
    } else if (tick >= work.dueTick && (work.isAsking || !work.isEndorsed)) {
      work.tries += 1;
      work.dueTick = nextTry(turn, work.tries, work.key);
      if (work.isAsking) sendPermissionRequests(turn, work);
      else askEndorsers(turn, work);
    } else if (isExpiring(turn, work)) {
      dissolve(turn, work);
    }
  }
}

/** Too few blocks are left for it to be mined with certainty. */
function isExpiring({ node }: Turn, { bundle }: BundleWork): boolean {
  const marginBlocks = Math.floor(node.config.validForBlocks / 4);
  return bundle.validUntil <= node.height + marginBlocks;
}

/** Transactions of senders that do not answer go back to them; the others are bundled again. */
function giveUpOnBundle(turn: Turn, work: BundleWork): void {
  if (work.isAsking) {
    for (const { intentId, sender } of work.bundle.steps) {
      const transaction = turn.node.coordinator.transactions.get(intentId);
      if (transaction !== undefined && work.unpermitted.has(sender)) {
        tellTransaction(turn, transaction, {
          type: "DispatchConfirmationRejected",
        });
      }
    }
  } else if (work.refusals.size > work.endorsements.size) {
    // The others may never answer: more of those who did are against it than for it.
    rejectBlamed(turn, work, "too few answered");
  }
  dissolve(turn, work);
}

/** Takes a bundle and those behind it apart. Steps that are still good are bundled again, in the same order. */
export function dissolve(turn: Turn, work: BundleWork): void {
  const { coordinator } = turn.node;
  const index = coordinator.bundles.indexOf(work);
  if (index === -1) return;
  const dissolved = coordinator.bundles.splice(index);
  const ids = dissolved.flatMap(({ bundle }) =>
    bundle.steps.map(({ intentId, signature }) => ({ intentId, signature })),
  );
  const good = ids.flatMap(
    ({ intentId, signature }): CoordinatorTransaction[] => {
      const transaction = coordinator.transactions.get(intentId);
      return transaction?.step?.signature === signature ? [transaction] : [];
    },
  );
  coordinator.assembled = new Set([
    ...good.map(({ id }) => id),
    ...coordinator.assembled,
  ]);
  for (const transaction of good)
    tellTransaction(turn, transaction, { type: "Unbundled" });
}

/** Takes the bundle apart in which a transaction is that falls. */
export function dissolveBundleOf(turn: Turn, id: IntentId): void {
  const work = turn.node.coordinator.bundles.find(({ ids }) => ids.has(id));
  if (work !== undefined) dissolve(turn, work);
}

function tellAll(
  turn: Turn,
  { bundle }: BundleWork,
  event: CoordinatorTransactionEvent,
): void {
  for (const { intentId } of bundle.steps) {
    const transaction = turn.node.coordinator.transactions.get(intentId);
    if (transaction !== undefined) tellTransaction(turn, transaction, event);
  }
}
