import { limits } from "../protocol/limits.ts";
import { isAtRest, type Sequencer } from "../protocol/sequencer.ts";
import { candidates, graceTicks } from "../protocol/turn.ts";
import { Violation } from "./violation.ts";

/** S26 and the like: what a node's memory must never contradict. */
export function checkMemory(sequencer: Sequencer): void {
  const { coordinator, sender, config, silent, tick } = sequencer;
  const fail = (property: string, what: string): never => {
    throw new Violation(property, `${config.self}: ${what}`);
  };
  const { created, spent, transactions, assembled, toPrepare } = coordinator;
  const bundles = [...coordinator.bundles, ...coordinator.preparations];
  for (const [id, { by }] of created) {
    if (by === undefined) continue;
    const { step, intent } = transactions.get(by) ?? {};
    if (intent?.isPrepareOnly === true)
      fail("S40", `offers ${id.slice(0, 10)}, which is only prepared`);
    if (step === undefined)
      fail("S26", `speculative state ${id.slice(0, 10)} without a producer`);
  }
  for (const [id, by] of spent) {
    if (by === undefined) continue;
    const { step } = transactions.get(by) ?? {};
    if (step?.inputs.includes(id) !== true)
      fail("S26", `lock on ${id.slice(0, 10)} without an owner`);
  }
  const bundled = new Set<string>();
  for (const { bundle } of bundles) {
    for (const { intentId } of bundle.steps) {
      if (bundled.has(intentId))
        fail("S26", `${intentId.slice(0, 10)} is in two bundles`);
      bundled.add(intentId);
    }
  }
  for (const id of assembled)
    if (bundled.has(id))
      fail("S26", `${id.slice(0, 10)} waits for a bundle and is in one`);
  for (const id of toPrepare)
    if (bundled.has(id) || assembled.has(id))
      fail("S26", `${id.slice(0, 10)} is to be prepared, and is in a bundle`);
  for (const { id, step, intent } of transactions.values()) {
    if (intent.isPrepareOnly) continue;
    for (const input of step?.inputs ?? [])
      if (spent.get(input) !== id)
        fail("S26", `${id.slice(0, 10)} spends what it has not locked`);
  }
  for (const [id, { state, sentTo, isAccepted }] of sender.transactions) {
    if (state === "Confirmed" || state === "Reverted" || state === "Lapsed")
      fail("S21", `${id.slice(0, 10)} ended and is still here`);
    if (state === "Delegated" && sentTo !== undefined && !isAccepted)
      if (sender.delegation?.ids.includes(id) !== true)
        fail("L4", `${id.slice(0, 10)} is with nobody`);
  }
  for (const what of wrongIndexesOf(sequencer)) fail("S26", what);
  for (const [node, untilTick] of silent)
    if (untilTick > tick + config.suspicionTicks)
      fail("L3", `skips ${node} for too long`);
  for (const [node, { untilTick }] of coordinator.silences)
    if (untilTick > tick + limits.pause * config.stateTicks)
      fail("L13", `leaves ${node} out for too long`);
  const { state, enteredTick } = coordinator;
  if (state === "Elect" || state === "Prepared")
    if (tick - enteredTick > 4 * config.stateTicks)
      fail("L8", `waits for a handover since tick ${enteredTick}`);
  const order = candidates(sequencer);
  if (!order.includes(config.self) && state !== "Idle" && state !== "Observing")
    fail("S32", `is ${state}, and may not coordinate`);
  if (config.mode === "local") {
    for (const owner of coordinator.bySender.keys())
      if (owner !== config.self) fail("S32", `coordinates for ${owner}`);
    return;
  }
  for (const heard of [coordinator.other, sender.active])
    if (heard !== undefined && !order.includes(heard.node))
      fail("S32", `follows ${heard.node}, who may not coordinate`);
}

/** Counters and indexes that do not agree with what they count or point to. */
function* wrongIndexesOf({
  sender,
  coordinator,
}: Sequencer): Generator<string> {
  let resting = 0;
  let sent = 0;
  for (const transaction of sender.transactions.values()) {
    if (isResting(transaction)) resting += 1;
    if (transaction.sentTo === undefined) continue;
    sent += 1;
    if (sender.sent.get(transaction.sentTo)?.has(transaction) !== true)
      yield `${transaction.id.slice(0, 10)} is sent, and not in the index`;
  }
  if (sender.resting !== resting)
    yield "the number of intents that wait for their users is wrong";
  for (const { size } of sender.sent.values()) sent -= size;
  if (sent !== 0) yield "the index of what is sent is wrong";
  let owned = coordinator.transactions.size;
  for (const { id, sender: owner } of coordinator.transactions.values())
    if (coordinator.bySender.get(owner)?.has(id) !== true)
      yield `${id.slice(0, 10)} is not in the index of its sender`;
  for (const { size } of coordinator.bySender.values()) owned -= size;
  if (owned !== 0) yield "the index of senders is wrong";
  let open = coordinator.dispatchOf.size;
  for (const work of coordinator.dispatched.values()) {
    open -= work.open.size;
    for (const id of work.open)
      if (coordinator.dispatchOf.get(id) !== work)
        yield `${id.slice(0, 10)} is open, and not in the index`;
  }
  if (open !== 0) yield "the index of what is dispatched is wrong";
}

function isResting({ state }: { readonly state: string }): boolean {
  return state === "Parked" || state === "PreparedForUser";
}

/** What a quiet node must not keep, by kind. */
export function leftoversOf(sequencer: Sequencer): string[] {
  const { coordinator, sender, endorser, height } = sequencer;
  // What a domain never answers, and what a liar's height puts off, goes when the bundle expires.
  const isOver = ({ validUntil }: { readonly validUntil: number }): boolean =>
    validUntil < height;
  const open = [...sender.transactions.values()].filter(
    (transaction) => !isResting(transaction),
  );
  const counts = {
    "coordinator transactions": coordinator.transactions.size,
    "coordinator pools": [...coordinator.pools.values()].filter(
      ({ entries }) => entries.length > 0,
    ).length,
    "silent senders": coordinator.silences.size,
    assemblies: coordinator.assemblies.size,
    "assembled steps": coordinator.assembled.size,
    bundles: coordinator.bundles.length,
    "steps to prepare": coordinator.toPrepare.size,
    preparations: coordinator.preparations.length,
    dispatches: coordinator.dispatched.size,
    "speculative states": coordinator.created.size,
    locks: coordinator.spent.size,
    "coordinator dependants": coordinator.dependants.size,
    "flush points": coordinator.flush.size + coordinator.flushDigests.size,
    handovers: coordinator.handovers.size,
    "sender transactions": open.length,
    "pending delegations": sender.delegation === undefined ? 0 : 1,
    "pending assemblies": sender.assembly?.isStarted === true ? 1 : 0,
    "outgoing ids": sender.outgoing.entries.length,
    "delayed ids": sender.delayed.entries.length,
    "postponed intents": sender.postponed.size,
    "sender dependants": sender.dependants.size,
    "endorsement checks": [...endorser.checking.values()].filter(isOver).length,
    "deferred endorsements": [...endorser.deferred.values()]
      .flat()
      .filter(({ bundle }) => isOver(bundle)).length,
  };
  const kinds = Object.entries(counts).filter(([, count]) => count > 0);
  const leftovers = kinds.map(([kind, count]) => `${count} ${kind}`);
  if (coordinator.state !== "Idle" && coordinator.state !== "Observing")
    leftovers.push(`coordinator is ${coordinator.state}`);
  const isWaiting =
    sender.transactions.size > 0 ||
    sender.assembly !== undefined ||
    endorser.checking.size + endorser.deferred.size > 0;
  if (!isWaiting && !isAtRest(sequencer) && !hasHeardSomebody(sequencer))
    leftovers.push("its clock going");
  return leftovers;
}

/** A heartbeat may come late enough that a node still waits for the next one. */
function hasHeardSomebody({ beats, config, tick }: Sequencer): boolean {
  const patience = graceTicks(config) + config.heartbeatTicks;
  return [...beats.values()].some((beat) => tick - beat.tick <= patience);
}
