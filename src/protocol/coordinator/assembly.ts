import { createHeap, pop, push, type Heap } from "../heap.ts";
import type { IntentId, NodeName, StateId } from "../ids.ts";
import { limits } from "../limits.ts";
import type { AssembleOutcome, MessageOf } from "../messages.ts";
import { ignore, newKey, nextRequest, send, type Turn } from "../turn.ts";
import { lastsForBundle } from "./bundles.ts";
import { conflicts, viewFor } from "./context.ts";
import { isSubset } from "./indexes.ts";
import type { AssemblyWork, Coordinator } from "./model.ts";
import { closeAssembly, isPaused, noteAnswer, noteSilence } from "./silence.ts";
import { tellTransaction } from "./tell.ts";
import type { CoordinatorTransaction } from "./transaction/model.ts";

/** Asks senders in turn to assemble what they have in the pool, until there is nothing more to ask for now. */
export function requestAssemblies(
  coordinator: Coordinator,
  _event: unknown,
  turn: Turn,
): void {
  let isAnyAsked = true;
  while (isAnyAsked && !isClosed(coordinator)) isAnyAsked = askInTurn(turn);
}

/** Asks each sender once at most. Returns whether any was asked. */
function askInTurn(turn: Turn): boolean {
  const { coordinator } = turn.node;
  const { turns, pools } = coordinator;
  let isAnyAsked = false;
  // What those want who could not be served: nobody behind them takes it away again and again.
  const wanted: string[] = [];
  for (const sender of [...turns]) {
    if (isClosed(coordinator)) break;
    if (isPaused(turn.node, sender)) continue;
    const queue = pools.get(sender);
    const { batch, blocked } = takeBatch(turn, queue ?? createHeap(), wanted);
    if (blocked !== undefined) {
      // It touches anything: the others wait until it has had its turn.
      if (blocked.intent.touches === undefined) break;
      wanted.push(...blocked.intent.touches);
    }
    const isEmpty = queue === undefined || queue.entries.length === 0;
    if (batch.length === 0 && !isEmpty) continue;
    // Who was served goes to the end; who could not be served keeps his place.
    turns.splice(turns.indexOf(sender), 1);
    if (isEmpty) pools.delete(sender);
    else turns.push(sender);
    if (batch.length === 0) continue;
    requestAssembly(turn, sender, batch);
    isAnyAsked = true;
  }
  return isAnyAsked;
}

/** No more requests now: there are enough, or one of them may touch anything. */
function isClosed(coordinator: Coordinator): boolean {
  const { assemblies } = coordinator;
  if (assemblies.size >= limits.assembling) return true;
  for (const { touches } of assemblies.values())
    if (touches === undefined) return true;
  return isFull(coordinator);
}

/** In-flight steps, and those on their way, are bounded: what falls drags no more than that along. */
function isFull({
  transactions,
  assemblies,
  assembled,
  bundles,
  toPrepare,
  preparations,
  dispatchOf,
  createdLength,
}: Coordinator): boolean {
  if (createdLength >= limits.speculativeLength) return true;
  let count = assembled.size + assemblies.size + dispatchOf.size;
  count += toPrepare.size + preparations.length;
  for (const { ids } of bundles) count += ids.size;
  return count >= Math.min(limits.speculative, transactions.size + 1);
}

/** The next transactions of one sender that may be assembled together now; if there are none, the one that may not yet. */
function takeBatch(
  { node }: Turn,
  queue: Heap<IntentId>,
  wanted: readonly string[],
): {
  readonly batch: CoordinatorTransaction[];
  readonly blocked: CoordinatorTransaction | undefined;
} {
  const { coordinator, tick } = node;
  const batch: CoordinatorTransaction[] = [];
  const postponed: CoordinatorTransaction[] = [];
  let blocked: CoordinatorTransaction | undefined;
  while (batch.length < limits.assembly && postponed.length < limits.assembly) {
    const id = pop(queue);
    if (id === undefined) break;
    const transaction = coordinator.transactions.get(id);
    if (transaction?.state !== "Pooled" || batch.includes(transaction))
      continue;
    if (transaction.notBefore > tick) {
      postponed.push(transaction);
      continue;
    }
    const { touches, isPrepareOnly } = transaction.intent;
    // Nothing builds on what is only prepared: it is assembled by itself.
    const isAlone = isPrepareOnly && batch.length > 0;
    const isWanted = touches?.some((name) => wanted.includes(name)) === true;
    if (isAlone || isWanted || !mayRunBeside(coordinator, touches, batch)) {
      if (batch.length === 0) blocked = transaction;
      postponed.push(transaction);
      break;
    }
    batch.push(transaction);
    if (isPrepareOnly) break;
  }
  for (const { order, id } of postponed) push(queue, order, id);
  if (postponed.length === 0) addFollowers(coordinator, batch);
  return { batch, blocked };
}

/** What follows only transactions of the batch is assembled right after them, if their sender is the same. */
function addFollowers(
  coordinator: Coordinator,
  batch: CoordinatorTransaction[],
): void {
  const { dependants, transactions } = coordinator;
  const ids = new Set(batch.map(({ id }) => id));
  // Those that are added have followers too.
  for (const { id, sender } of batch) {
    for (const followerId of dependants.get(id) ?? []) {
      const follower = transactions.get(followerId);
      if (
        batch.length < limits.assembly &&
        follower?.state === "PreAssembly_Blocked" &&
        follower.sender === sender &&
        !follower.intent.isPrepareOnly &&
        isSubset(follower.waitsFor, ids) &&
        !ids.has(followerId) &&
        mayRunBeside(coordinator, follower.intent.touches, batch)
      ) {
        batch.push(follower);
        ids.add(followerId);
      }
    }
  }
}

/** Nothing runs beside what may touch anything; others run beside each other if they touch nothing in common. */
function mayRunBeside(
  { assemblies }: Coordinator,
  touches: readonly string[] | undefined,
  batch: readonly CoordinatorTransaction[],
): boolean {
  const [first] = batch;
  if (
    first !== undefined &&
    (first.intent.touches === undefined) !== (touches === undefined)
  )
    return false;
  if (touches === undefined) return assemblies.size === 0;
  for (const work of assemblies.values()) {
    if (
      work.touches === undefined ||
      work.touches.some((name) => touches.includes(name))
    )
      return false;
  }
  return true;
}

function requestAssembly(
  turn: Turn,
  to: NodeName,
  batch: readonly CoordinatorTransaction[],
): void {
  const { coordinator, height, tick, config } = turn.node;
  const key = newKey(turn);
  const touches = batch.flatMap(({ intent }) => intent.touches ?? []);
  const isExclusive = batch.some(({ intent }) => intent.touches === undefined);
  const work: AssemblyWork = {
    request: {
      type: "AssembleRequest",
      key,
      ids: batch.map(({ id }) => id),
      height,
      view: viewFor(turn.node, to),
    },
    to,
    touches: isExclusive ? undefined : touches,
    missing: new Set(),
    tries: 0,
    dueTick: nextRequest(turn, 0, key),
    deadlineTick: tick + config.stateTicks,
  };
  coordinator.assemblies.set(key, work);
  for (const transaction of batch)
    tellTransaction(turn, transaction, { type: "AssembleRequestSent", key });
  send(turn, to, work.request);
}

/** A sender answers. Answers to requests that are given up are stale. */
export function receiveAssembleResponse(
  turn: Turn,
  from: NodeName,
  { key, outcomes }: MessageOf<"AssembleResponse">,
): void {
  const { coordinator } = turn.node;
  const work = coordinator.assemblies.get(key);
  if (work?.to !== from) {
    ignore(turn, "stale assembly response");
    return;
  }
  closeAssembly(turn, key);
  coordinator.gathered += 1;
  noteAnswer(turn, from, "assembly");
  const answers = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
  // Outputs of steps in this answer that are not taken are missing too.
  const { missing } = work;
  for (const id of work.request.ids) {
    const transaction = coordinator.transactions.get(id);
    const outcome = answers.get(id);
    if (transaction?.state === "Assembling")
      receiveOutcome(turn, transaction, outcome, missing);
    if (outcome?.type === "assembled" && transaction?.step !== outcome.step)
      for (const output of outcome.step.outputs) missing.add(output.id);
  }
}

function receiveOutcome(
  turn: Turn,
  transaction: CoordinatorTransaction,
  outcome: AssembleOutcome | undefined,
  missing: ReadonlySet<StateId>,
): void {
  switch (outcome?.type) {
    case "assembled": {
      const { step } = outcome;
      const isMine =
        step.intentId === transaction.id &&
        step.sender === transaction.sender &&
        step.laneSalt === transaction.intent.laneSalt;
      const isComplete = ![...step.inputs, ...step.reads].some((id) =>
        missing.has(id),
      );
      const isUsable = isComplete && lastsForBundle(turn, step);
      if (isMine && isUsable && !conflicts(turn.node.coordinator, step))
        tellTransaction(turn, transaction, { type: "Assemble_Success", step });
      else tellTransaction(turn, transaction, { type: "Assemble_Error" });
      return;
    }
    case "reverted":
      tellTransaction(turn, transaction, { type: "Assemble_Revert_Response" });
      return;
    case "parked":
    case "postponed":
    case "unknown":
      tellTransaction(turn, transaction, { type: "Withdrawn" });
      return;
    case "error":
    case undefined:
      tellTransaction(turn, transaction, { type: "Assemble_Error" });
      return;
  }
}

/** Repeats requests that are not answered, and gives up those that take too long. */
export function watchAssemblies(turn: Turn): void {
  const { coordinator, tick } = turn.node;
  const isAssembling = (id: IntentId): boolean =>
    coordinator.transactions.get(id)?.state === "Assembling";
  for (const [key, work] of coordinator.assemblies) {
    if (tick >= work.deadlineTick) {
      closeAssembly(turn, key);
      // Nobody waits for what has happened meanwhile.
      if (work.request.ids.some(isAssembling))
        noteSilence(turn, work.to, "assembly");
    } else if (tick >= work.dueTick) {
      work.tries += 1;
      work.dueTick = nextRequest(turn, work.tries, key);
      send(turn, work.to, work.request);
    }
  }
}
