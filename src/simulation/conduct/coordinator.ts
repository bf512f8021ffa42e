import { isUndispatched } from "../../protocol/coordinator/transaction/guards.ts";
import type { Effect } from "../../protocol/effects.ts";
import type { IntentId, NodeName, StateId } from "../../protocol/ids.ts";
import type { MessageOf } from "../../protocol/messages.ts";
import type { Sequencer } from "../../protocol/sequencer.ts";
import { candidates, rangeOf } from "../../protocol/turn.ts";
import type { SimulatedNode } from "../node.ts";
import { type Course, sent, violation } from "./course.ts";

/** Who lies, and which states they say are in flight. */
export interface Deceit {
  readonly liars: ReadonlySet<NodeName>;
  readonly rumours: ReadonlySet<StateId>;
}

/** S29, S32: nobody endorses before he has seen the blocks, or what the asker may not coordinate. */
export function checkEndorsed(
  node: SimulatedNode,
  { config }: Sequencer,
  from: NodeName,
  { bundle, height }: MessageOf<"EndorsementRequest">,
): void {
  if (height > node.height)
    throw violation("S29", node, "endorses without the blocks");
  const { mode, committee, pool } = config;
  const isFine =
    mode === "local"
      ? bundle.steps.every(({ sender }) => sender === from)
      : (mode === "remote" ? pool : committee).includes(from);
  if (!isFine)
    throw violation("S32", node, `endorses for ${from}, who may not`);
}

/** S29, S32: delegations that the own view does not justify are rejected. */
export function checkEntitled(
  node: SimulatedNode,
  sequencer: Sequencer,
  from: NodeName,
  { height }: MessageOf<"DelegationRequest">,
  effects: readonly Effect[],
  { coordinatorState }: Course,
): void {
  if (sent(effects, "DelegationAccepted").length === 0) return;
  checkOwned(node, sequencer, from, effects);
  const { mode, policy, self } = sequencer.config;
  const order = candidates(sequencer);
  if (mode === "local" || !order.includes(self))
    throw violation("S32", node, "takes work that is not its business");
  const isIdle =
    coordinatorState === "Idle" || coordinatorState === "Observing";
  if (policy !== "rotating" || !isIdle || order[0] === self) return;
  if (rangeOf(sequencer, height) !== rangeOf(sequencer, sequencer.height))
    throw violation("S29", node, "takes work for a range that is not its own");
}

/** L4: nobody says that it has an intent of one sender when it has that of another. */
function checkOwned(
  node: SimulatedNode,
  { coordinator, config }: Sequencer,
  from: NodeName,
  effects: readonly Effect[],
): void {
  const { isOwnIntent } = config.hashing;
  const isOwned = (id: IntentId): boolean => {
    const { intent, sender } = coordinator.transactions.get(id) ?? {};
    return (
      intent === undefined ||
      (sender === from && isOwnIntent({ ...intent, sender }))
    );
  };
  for (const effect of effects) {
    if (effect.type !== "Send" || effect.to !== from) continue;
    if (effect.message.type !== "DelegationAccepted") continue;
    for (const id of effect.message.ids)
      if (!isOwned(id))
        throw violation(
          "L4",
          node,
          `tells ${from} that it has another's intent`,
        );
  }
}

/** S26: a step is of its own intent and sender, and uses nothing that another one in flight spends. */
export function checkAssembled(
  node: SimulatedNode,
  { coordinator }: Sequencer,
  { outcomes }: MessageOf<"AssembleResponse">,
): void {
  const { transactions, spent } = coordinator;
  const ids = outcomes.map(({ id }) => id);
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.type !== "assembled") continue;
    const { step, id } = outcome;
    const transaction = transactions.get(id);
    if (transaction?.step !== step) continue;
    if (step.intentId !== id || step.sender !== transaction.sender)
      throw violation(
        "S26",
        node,
        `takes another's step for ${id.slice(0, 10)}`,
      );
    // Who reads before it is spent, in the same answer, is in order.
    const later = ids.slice(index);
    for (const read of step.reads) {
      const spender = spent.get(read);
      if (
        !spent.has(read) ||
        (spender !== undefined && later.includes(spender))
      )
        continue;
      throw violation(
        "S26",
        node,
        `lets ${id.slice(0, 10)} read what is spent`,
      );
    }
  }
}

/** S40: nothing is handed back that another step in flight rules out, as its coordinator knows. */
export function checkHandedBack(
  node: SimulatedNode,
  { coordinator }: Sequencer,
  effects: readonly Effect[],
  { handedBack }: Course,
): void {
  const { spent } = coordinator;
  for (const effect of effects) {
    if (effect.type !== "Send") continue;
    const { message } = effect;
    if (message.type !== "TransactionPrepared") continue;
    // It is said again until it is heard, whatever happens meanwhile.
    if (handedBack.has(message.key)) continue;
    handedBack.add(message.key);
    for (const { inputs, reads } of message.bundle.steps)
      if ([...inputs, ...reads].some((id) => spent.has(id)))
        throw violation("S40", node, "hands back what can no longer happen");
  }
}

/** S25: what a step is built on is on the ledger, or is made by another step in flight, unless it is too late. */
export function checkFooting(
  node: SimulatedNode,
  { coordinator }: Sequencer,
  { producers, isShaken }: Course,
  { liars, rumours }: Deceit,
): void {
  const { transactions } = coordinator;
  for (const { id, step } of transactions.values())
    for (const output of step?.outputs ?? []) producers.set(output.id, id);
  if (isShaken) return;
  for (const { step, state, sender } of transactions.values()) {
    if (!isUndispatched(state)) continue;
    // Only endorsers notice what a liar builds on.
    if (liars.has(sender)) continue;
    // Its sender, who may have seen more blocks, found it there: somebody executed what was prepared, say.
    const found = new Set(step?.found.map(({ id }) => id));
    for (const id of [...(step?.inputs ?? []), ...(step?.reads ?? [])]) {
      if (found.has(id)) continue;
      if (rumours.has(id)) continue;
      const producer = producers.get(id);
      if (
        producer === undefined ||
        transactions.get(producer)?.step !== undefined
      )
        continue;
      // It happened, and what it made may be spent in the same bundle: then endorsers refuse.
      if (!node.holdings.isFulfilled(producer))
        throw violation("S25", node, "keeps a step whose footing fell");
    }
  }
}

/** L8: a flush ends when nothing dispatched is left that can happen, and the time of closing is bounded. */
export function checkFlushing(
  node: SimulatedNode,
  { coordinator, config, tick, height }: Sequencer,
  course: Course,
): void {
  const { state, dispatched } = coordinator;
  const isOver = [...dispatched.values()].every(
    ({ record }) => record.bundle.validUntil < height,
  );
  const isFlushing = state === "Flush" && isOver;
  if (!isFlushing && state !== "Closing") course.flushTick = tick;
  const beats = config.closingGrace + 3;
  if (tick - course.flushTick > beats * config.heartbeatTicks)
    throw violation("L8", node, `does not end as ${state}`);
}

/** L18: what must arrive is said again until it is acknowledged. */
export function checkRepeated(
  node: SimulatedNode,
  { tick, config }: Sequencer,
  { sentTicks }: Course,
): void {
  const patience = Math.ceil(config.requestTicksMax * 1.25) + 2;
  const check = (key: string, to: NodeName): void => {
    if (
      to !== node.name &&
      tick - (sentTicks.get(`${key}|${to}`) ?? 0) > patience
    )
      throw violation(
        "L18",
        node,
        `does not repeat to ${to} what he must hear`,
      );
  };
  for (const record of node.disk.records.values()) {
    if (record.kind === "handover") check(record.key, record.to);
    if (record.kind !== "dispatch") continue;
    for (const { sender } of record.bundle.steps)
      if (!record.acknowledged.includes(sender))
        check(record.bundle.digest, sender);
  }
}
