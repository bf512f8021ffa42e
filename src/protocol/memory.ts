import type { Coordinator } from "./coordinator/model.ts";
import { limits } from "./limits.ts";
import { hasOpenTransactions } from "./sender/guards.ts";
import { isResting } from "./sender/transaction/guards.ts";
import { candidates, type Sequencer } from "./turn.ts";

/** Two parts of a node's memory that do not agree. */
export interface Contradiction {
  /** The property that says that they must. */
  readonly property: string;
  readonly what: string;
}

/** What must never be in a node's memory, whatever others do: each only if the node itself is wrong. */
export function* contradictionsIn(
  sequencer: Sequencer,
): Generator<Contradiction> {
  yield* wrongStates(sequencer.coordinator);
  yield* wrongBundles(sequencer.coordinator);
  yield* wrongTransactions(sequencer);
  for (const what of wrongIndexes(sequencer)) yield { property: "S26", what };
  yield* endlessWaits(sequencer);
  yield* wrongRoles(sequencer);
}

/** Speculative states without a producer, and locks without an owner. */
function* wrongStates({
  created,
  spent,
  transactions,
}: Coordinator): Generator<Contradiction> {
  for (const [id, { by }] of created) {
    if (by === undefined) continue;
    const { step, intent } = transactions.get(by) ?? {};
    if (intent?.isPrepareOnly === true)
      yield {
        property: "S40",
        what: `offers ${short(id)}, which is only prepared`,
      };
    if (step === undefined)
      yield {
        property: "S26",
        what: `speculative state ${short(id)} without a producer`,
      };
  }
  for (const [id, by] of spent) {
    if (by === undefined) continue;
    const { step } = transactions.get(by) ?? {};
    if (step?.inputs.includes(id) !== true)
      yield { property: "S26", what: `lock on ${short(id)} without an owner` };
  }
  for (const { id, step, intent } of transactions.values()) {
    if (intent.isPrepareOnly) continue;
    for (const input of step?.inputs ?? [])
      if (spent.get(input) !== id)
        yield {
          property: "S26",
          what: `${short(id)} spends what it has not locked`,
        };
  }
}

/** Steps that are in more than one place on their way into a bundle. */
function* wrongBundles({
  bundles,
  preparations,
  assembled,
  toPrepare,
}: Coordinator): Generator<Contradiction> {
  const property = "S26";
  const bundled = new Set<string>();
  for (const { bundle } of [...bundles, ...preparations])
    for (const { intentId } of bundle.steps) {
      if (bundled.has(intentId))
        yield { property, what: `${short(intentId)} is in two bundles` };
      bundled.add(intentId);
    }
  for (const id of assembled)
    if (bundled.has(id))
      yield {
        property,
        what: `${short(id)} waits for a bundle and is in one`,
      };
  for (const id of toPrepare)
    if (bundled.has(id) || assembled.has(id))
      yield {
        property,
        what: `${short(id)} is to be prepared, and is in a bundle`,
      };
}

/** Intents that ended and are still here, or that nobody has; a sender that does not know that it has work. */
function* wrongTransactions({ sender }: Sequencer): Generator<Contradiction> {
  for (const [id, { state, sentTo, isAccepted }] of sender.transactions) {
    if (state === "Confirmed" || state === "Reverted" || state === "Lapsed")
      yield { property: "S21", what: `${short(id)} ended and is still here` };
    if (state === "Delegated" && sentTo !== undefined && !isAccepted)
      if (sender.delegation?.ids.includes(id) !== true)
        yield { property: "L4", what: `${short(id)} is with nobody` };
  }
  if ((sender.state === "Sending") !== hasOpenTransactions(sender))
    yield {
      property: "S26",
      what: `its sender is ${sender.state}, with ${sender.transactions.size - sender.resting} open intents`,
    };
}

/** Counters and indexes that do not agree with what they count or point to. */
function* wrongIndexes({ sender, coordinator }: Sequencer): Generator<string> {
  let resting = 0;
  let sent = 0;
  for (const transaction of sender.transactions.values()) {
    if (isResting(transaction)) resting += 1;
    if (transaction.sentTo === undefined) continue;
    sent += 1;
    if (sender.sent.get(transaction.sentTo)?.has(transaction) !== true)
      yield `${short(transaction.id)} is sent, and not in the index`;
  }
  if (sender.resting !== resting)
    yield "the number of intents that wait for their users is wrong";
  for (const { size } of sender.sent.values()) sent -= size;
  if (sent !== 0) yield "the index of what is sent is wrong";
  let owned = coordinator.transactions.size;
  for (const { id, sender: owner } of coordinator.transactions.values())
    if (coordinator.bySender.get(owner)?.has(id) !== true)
      yield `${short(id)} is not in the index of its sender`;
  for (const { size } of coordinator.bySender.values()) owned -= size;
  if (owned !== 0) yield "the index of senders is wrong";
  let open = coordinator.dispatchOf.size;
  for (const work of coordinator.dispatched.values()) {
    open -= work.open.size;
    for (const id of work.open)
      if (coordinator.dispatchOf.get(id) !== work)
        yield `${short(id)} is open, and not in the index`;
  }
  if (open !== 0) yield "the index of what is dispatched is wrong";
}

/** Nodes that are passed over, and handovers that are waited for, for longer than anything takes. */
function* endlessWaits({
  coordinator: { silences, state, enteredTick },
  config,
  silent,
  tick,
}: Sequencer): Generator<Contradiction> {
  for (const [node, untilTick] of silent)
    if (untilTick > tick + config.suspicionTicks)
      yield { property: "L3", what: `skips ${node} for too long` };
  for (const [node, { untilTick }] of silences)
    if (untilTick > tick + limits.pause * config.stateTicks)
      yield { property: "L13", what: `leaves ${node} out for too long` };
  if (state === "Elect" || state === "Prepared")
    if (tick - enteredTick > 4 * config.stateTicks)
      yield {
        property: "L8",
        what: `waits for a handover since tick ${enteredTick}`,
      };
}

/** Roles of nodes that may not coordinate. */
function* wrongRoles(sequencer: Sequencer): Generator<Contradiction> {
  const { coordinator, sender, config } = sequencer;
  const { state, other, bySender } = coordinator;
  const property = "S32";
  const order = candidates(sequencer);
  if (!order.includes(config.self) && state !== "Idle" && state !== "Observing")
    yield { property, what: `is ${state}, and may not coordinate` };
  if (config.mode === "local") {
    for (const owner of bySender.keys())
      if (owner !== config.self)
        yield { property, what: `coordinates for ${owner}` };
    return;
  }
  for (const heard of [other, sender.active])
    if (heard !== undefined && !order.includes(heard.node))
      yield {
        property,
        what: `follows ${heard.node}, who may not coordinate`,
      };
}

function short(id: string): string {
  return id.slice(0, 10);
}
