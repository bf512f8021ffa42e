import type { IntentId, NodeName } from "../ids.ts";
import { limits } from "../limits.ts";
import type { CoordinatorClaim, DelegationRefusal } from "../messages.ts";
import { isRemembered } from "../recent.ts";
import type { HandoverRecord } from "../records.ts";
import type { Intent } from "../transition.ts";
import {
  bySender,
  candidates,
  graceTicks,
  idsOf,
  isSilent,
  newKey,
  nextTry,
  pages,
  rangeOf,
  send,
  type Turn,
} from "../turn.ts";
import { dissolve } from "./bundles.ts";
import {
  distrustImportedContext,
  dropImportedContext,
  importContext,
  viewOf,
} from "./context.ts";
import { isOnLedger, liveOther } from "./guards.ts";
import { addTransaction } from "./indexes.ts";
import type { Coordinator, CoordinatorEvent } from "./model.ts";
import { tellTransaction } from "./tell.ts";
import type { CoordinatorTransaction } from "./transaction/model.ts";

type EventOf<Type extends CoordinatorEvent["type"]> = Extract<
  CoordinatorEvent,
  { readonly type: Type }
>;

/** Takes what fits. A transaction that is here already stays as it is; one that ended is acknowledged. */
export function accept(
  coordinator: Coordinator,
  { from, request }: EventOf<"TransactionsDelegated">,
  turn: Turn,
): void {
  const taken: IntentId[] = [];
  const refused: IntentId[] = [];
  for (const intent of request.intents) {
    const known = coordinator.transactions.get(intent.id);
    if (known !== undefined)
      (known.sender === from ? taken : refused).push(intent.id);
    else if (isRemembered(coordinator.ended, intent.id)) taken.push(intent.id);
    else if (hasRoom(coordinator, from)) {
      receive(coordinator, from, intent, turn);
      taken.push(intent.id);
    } else refused.push(intent.id);
  }
  const { height } = turn.node;
  if (taken.length > 0)
    send(turn, from, {
      type: "DelegationAccepted",
      key: request.key,
      ids: taken,
      height,
    });
  if (refused.length > 0)
    reject(turn, from, { ...request, ids: refused, reason: "busy" });
}

function hasRoom(
  { transactions, pools }: Coordinator,
  from: NodeName,
): boolean {
  return (
    transactions.size < limits.pooled &&
    (pools.get(from)?.entries.length ?? 0) < limits.pooledPerSender
  );
}

function receive(
  coordinator: Coordinator,
  sender: NodeName,
  intent: Intent,
  turn: Turn,
): void {
  const waitsFor = intent.dependsOn.filter((id) =>
    isUnassembled(coordinator.transactions.get(id)),
  );
  const transaction: CoordinatorTransaction = {
    state: "Initial",
    id: intent.id,
    sender,
    intent,
    order: coordinator.received++,
    step: undefined,
    builtOn: undefined,
    usedBy: undefined,
    waitsFor: new Set(waitsFor),
    failures: 0,
    notBefore: 0,
  };
  addTransaction(coordinator, transaction);
  for (const id of waitsFor) {
    const waiting = coordinator.dependants.get(id) ?? new Set();
    waiting.add(intent.id);
    coordinator.dependants.set(id, waiting);
  }
  tellTransaction(turn, transaction, { type: "Received" });
}

function isUnassembled(
  transaction: CoordinatorTransaction | undefined,
): boolean {
  return (
    transaction !== undefined &&
    transaction.step === undefined &&
    transaction.state !== "Confirmed" &&
    transaction.state !== "Reverted"
  );
}

/** Says who is behind, or who coordinates. */
export function refuse(
  { successor }: Coordinator,
  { from, request }: EventOf<"TransactionsDelegated">,
  turn: Turn,
): void {
  const { node } = turn;
  const ours = rangeOf(node, node.height);
  const theirs = rangeOf(node, request.height);
  const reason =
    theirs < ours
      ? "sender-behind"
      : theirs > ours
        ? "coordinator-behind"
        : "not-coordinator";
  reject(turn, from, {
    key: request.key,
    ids: idsOf(request.intents),
    reason,
    active: successor ?? liveOther(node),
  });
}

function reject(
  turn: Turn,
  to: NodeName,
  {
    key,
    ids,
    reason,
    active,
  }: {
    readonly key: EventOf<"TransactionsDelegated">["request"]["key"];
    readonly ids: readonly IntentId[];
    readonly reason: DelegationRefusal;
    readonly active?: NodeName | undefined;
  },
): void {
  send(turn, to, {
    type: "DelegationRejected",
    key,
    ids,
    height: turn.node.height,
    reason,
    active,
  });
}

/** How much it matters to know of a coordinator: first those who dispatch, then those whose work is not on the ledger. */
function weightOf(claim: CoordinatorClaim): number {
  switch (claim) {
    case "Active":
      return 4;
    case "Flush":
      return 3;
    case "Prepared":
      return 2;
    case "Elect":
      return 1;
    case "Closing":
      return 0;
  }
}

/** Takes note of another coordinator. */
export function note(
  coordinator: Coordinator,
  { from, heartbeat }: EventOf<"HeartbeatReceived">,
  { node }: Turn,
): void {
  const { other } = coordinator;
  const isFresh =
    other !== undefined && node.tick - other.tick <= graceTicks(node.config);
  if (
    isFresh &&
    other.node !== from &&
    weightOf(heartbeat.state) < weightOf(other.claim)
  )
    return;
  coordinator.other = { node: from, claim: heartbeat.state, tick: node.tick };
}

/** Dispatches from now on. What was taken over is on the ledger, or never will be. */
export function activate(
  coordinator: Coordinator,
  _event: unknown,
  { node }: Turn,
): void {
  coordinator.enteredTick = node.tick;
  coordinator.activeRange = rangeOf(node, node.height);
  // The next tick tells the others: two that start at the same time must notice soon.
  coordinator.heartbeatTick = node.tick - node.config.heartbeatTicks;
  coordinator.predecessor = undefined;
  coordinator.successor = undefined;
  coordinator.flush.clear();
  coordinator.flushUntil = 0;
  coordinator.closingBeats = 0;
  dropImportedContext(coordinator);
}

/** Asks the one at work to hand over. */
export function askForHandover(
  coordinator: Coordinator,
  _event: unknown,
  turn: Turn,
): void {
  const { node } = turn;
  coordinator.enteredTick = node.tick;
  coordinator.successor = undefined;
  coordinator.closingBeats = 0;
  coordinator.predecessor = coordinator.other?.node;
  if (coordinator.predecessor !== undefined)
    send(turn, coordinator.predecessor, {
      type: "HandoverRequest",
      height: node.height,
    });
}

/** Builds on what the predecessor dispatched, and waits until it is confirmed. */
export function prepare(
  coordinator: Coordinator,
  { handover }: EventOf<"HandoverReceived">,
  { node }: Turn,
): void {
  coordinator.enteredTick = node.tick;
  importContext(coordinator, handover.context);
  coordinator.flushUntil = Math.max(
    coordinator.flushUntil,
    // Nobody makes this node wait for longer than a bundle can be valid.
    Math.min(handover.flushUntil, node.height + 2 * node.config.validForBlocks),
  );
  for (const id of handover.flush)
    if (!isOnLedger(coordinator, node, id)) coordinator.flush.add(id);
}

/** The role comes unasked. */
export function succeed(
  coordinator: Coordinator,
  { from }: EventOf<"HandoverReceived">,
): void {
  coordinator.predecessor = from;
  coordinator.successor = undefined;
  coordinator.closingBeats = 0;
}

/** Stops: returns what is not dispatched, and tells the successor what is. */
export function handOverToHim(
  coordinator: Coordinator,
  { from }: { readonly from: NodeName },
  turn: Turn,
): void {
  handOver(coordinator, from, turn);
}

export function handOverToFirst(
  coordinator: Coordinator,
  _event: unknown,
  turn: Turn,
): void {
  const { node } = turn;
  const first = candidates(node).find(
    (candidate) => !isSilent(node, candidate) && candidate !== node.config.self,
  );
  if (first !== undefined) handOver(coordinator, first, turn);
}

function handOver(coordinator: Coordinator, to: NodeName, turn: Turn): void {
  coordinator.successor = to;
  coordinator.enteredTick = turn.node.tick;
  returnWork(coordinator, undefined, turn);
  const dispatched = [...coordinator.dispatched.values()];
  const flush = [
    ...coordinator.flush,
    ...dispatched.flatMap(({ open }) => [...open]),
  ];
  const key = newKey(turn);
  const record: HandoverRecord = {
    kind: "handover",
    key,
    to,
    context: viewOf(coordinator),
    flush,
    // Without dispatched work it only says that there is none; nobody needs to hear that for ever either.
    flushUntil:
      flush.length === 0
        ? turn.node.height + turn.node.config.validForBlocks
        : Math.max(
            coordinator.flushUntil,
            ...dispatched.map(({ record: { bundle } }) => bundle.validUntil),
          ),
  };
  for (const [oldKey, { record: old }] of coordinator.handovers) {
    coordinator.handovers.delete(oldKey);
    turn.effects.push({ type: "Erase", key: `handover:${old.key}` });
  }
  coordinator.handovers.set(key, {
    record,
    tries: 0,
    dueTick: nextTry(turn, 0, key),
  });
  turn.effects.push({ type: "Save", record });
  sendHandover(turn, record);
}

/** Says that there is nothing to wait for. The one who asks asks again if this is lost. */
export function handOverNothing(
  _: Coordinator,
  { from }: EventOf<"HandoverRequestReceived">,
  turn: Turn,
): void {
  const key = newKey(turn);
  const context = { created: [], spent: [] };
  const flushUntil = 0;
  send(turn, from, { type: "Handover", key, context, flush: [], flushUntil });
}

/** Repeated until it is acknowledged. */
export function sendHandover(
  turn: Turn,
  { to, key, context, flush, flushUntil }: HandoverRecord,
): void {
  send(turn, to, { type: "Handover", key, context, flush, flushUntil });
}

/** Gives all that is not dispatched back to the senders. */
export function returnWork(
  coordinator: Coordinator,
  _event: unknown,
  turn: Turn,
): void {
  coordinator.bundles = [];
  coordinator.assembled.clear();
  coordinator.assemblies.clear();
  const undispatched = [...coordinator.transactions.values()].filter(
    ({ state }) => isUndispatched(state),
  );
  for (const transaction of undispatched.reverse())
    tellTransaction(turn, transaction, { type: "Withdrawn" });
  coordinator.pools.clear();
  coordinator.turns.length = 0;
  for (const [sender, transactions] of bySender(
    undispatched.reverse(),
    (transaction) => transaction.sender,
  )) {
    for (const page of pages(idsOf(transactions), limits.heartbeat)) {
      send(turn, sender, {
        type: "DelegationReturned",
        ids: page,
        height: turn.node.height,
      });
    }
  }
}

function isUndispatched(state: CoordinatorTransaction["state"]): boolean {
  switch (state) {
    case "Initial":
    case "Pooled":
    case "PreAssembly_Blocked":
    case "Assembling":
    case "Endorsement_Gathering":
    case "Blocked":
    case "Confirming_Dispatch":
      return true;
    case "Ready_For_Dispatch":
    case "Dispatched":
    case "Submitted":
    case "Confirmed":
    case "Reverted":
    case "Final":
      return false;
  }
}

/** What was taken over may never happen: whatever is assembled, perhaps on top of it, is assembled again. */
export function distrust(
  coordinator: Coordinator,
  _event: unknown,
  turn: Turn,
): void {
  const { transactions, flush } = coordinator;
  if (flush.size === 0) return;
  distrustImportedContext(coordinator);
  for (const transaction of [...transactions.values()])
    if (transaction.step !== undefined && isUndispatched(transaction.state))
      tellTransaction(turn, transaction, { type: "DependencyReverted" });
}

/**
 * Does not dispatch for now. Steps that spend or read what the predecessor's transitions spend can never happen: they
 * are assembled again.
 */
export function stepBack(
  { transactions, bundles }: Coordinator,
  { handover }: EventOf<"HandoverReceived">,
  turn: Turn,
): void {
  const [first] = bundles;
  if (first?.isAsking === true) dissolve(turn, first);
  const spent = new Set(handover.context.spent);
  for (const transaction of [...transactions.values()]) {
    const { step, state } = transaction;
    if (step === undefined || !isUndispatched(state)) continue;
    if ([...step.inputs, ...step.reads].some((id) => spent.has(id)))
      tellTransaction(turn, transaction, { type: "DependencyReverted" });
  }
}

/** Somebody else takes the role up: what was taken over for it is his business. */
export function giveWay(coordinator: Coordinator): void {
  coordinator.predecessor = undefined;
  coordinator.flush.clear();
  coordinator.flushUntil = 0;
  dropImportedContext(coordinator);
}

export function countBeat(coordinator: Coordinator): void {
  coordinator.closingBeats += 1;
}

export function rest(coordinator: Coordinator): void {
  coordinator.successor = undefined;
  coordinator.predecessor = undefined;
  coordinator.closingBeats = 0;
  coordinator.pools.clear();
  coordinator.turns.length = 0;
}
