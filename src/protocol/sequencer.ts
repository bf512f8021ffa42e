import {
  candidates,
  graceTicks,
  nextTry,
  send,
  type Sequencer,
  type Turn,
} from "./turn.ts";
import type { SequencerConfig } from "./config.ts";
import { sendHandover } from "./coordinator/actions.ts";
import {
  receiveAssembleResponse,
  requestAssemblies,
  watchAssemblies,
} from "./coordinator/assembly.ts";
import {
  askPermission,
  formBundles,
  notifyDispatched,
  receiveDenial,
  receiveEndorsement,
  receivePermission,
  receiveRefusal,
  watchBundles,
} from "./coordinator/bundles.ts";
import { sendHeartbeats } from "./coordinator/heartbeat.ts";
import {
  ledgerFulfilled,
  ledgerReverted,
  restoreDispatch,
  submissionFailed,
} from "./coordinator/settlement.ts";
import { coordinatorTable } from "./coordinator/table.ts";
import { tellTransaction } from "./coordinator/tell.ts";
import type { CoordinatorEvent } from "./coordinator/model.ts";
import type { Effect } from "./effects.ts";
import {
  createEndorser,
  endorserSeesBlock,
  finishEndorsement,
  receiveEndorsementRequest,
} from "./endorser.ts";
import type { Event } from "./events.ts";
import { createHeap, popUntil, push } from "./heap.ts";
import type { Digest, IntentId, NodeName } from "./ids.ts";
import { limits } from "./limits.ts";
import { step, type Tracer } from "./machine.ts";
import type { Message } from "./messages.ts";
import { createRecent, forget } from "./recent.ts";
import type { IntentRecord, SavedRecord } from "./records.ts";
import { rankingOf } from "./selection.ts";
import {
  acceptDelegation,
  delegate,
  rejectDelegation,
  tell,
  watch,
} from "./sender/actions.ts";
import {
  finishAssembly,
  receiveAssembleRequest,
  receiveDispatched,
  receivePermissionRequest,
  startAssembly,
} from "./sender/assembly.ts";
import type { SenderEvent } from "./sender/model.ts";
import { senderTable } from "./sender/table.ts";
import { sendTo } from "./sender/transaction/actions.ts";
import type { SenderTransaction } from "./sender/transaction/model.ts";
import type { Intent } from "./transition.ts";

/** What a node knows when it starts. */
export interface Restored {
  readonly height: number;
  readonly records: readonly SavedRecord[];
  /** Dependencies of open intents that the ledger has. */
  readonly fulfilled: readonly IntentId[];
}

/** Starts one node's part in one group, from what is on its disk. */
export function createSequencer(
  config: SequencerConfig,
  { height, records, fulfilled }: Restored,
  trace?: Tracer<{ readonly state: string }>,
): { readonly sequencer: Sequencer; readonly effects: Effect[] } {
  const committee = config.mode === "remote" ? config.pool : config.committee;
  const ranking = rankingOf({ committee, contract: config.contract });
  let ranked:
    { readonly range: number; readonly order: NodeName[] } | undefined;
  const sequencer: Sequencer = {
    config,
    ranking: (range) => {
      if (ranked?.range !== range) ranked = { range, order: ranking(range) };
      return ranked.order;
    },
    tick: 0,
    height,
    sender: {
      state: "Idle",
      transactions: new Map(),
      parked: 0,
      sent: new Map(),
      nextSequence: 0,
      delegate: undefined,
      heardTick: 0,
      boots: new Map(),
      active: undefined,
      waitForRange: undefined,
      waitUntilTick: 0,
      outgoing: createHeap(),
      delayed: createHeap(),
      delegation: undefined,
      pausedUntil: 0,
      refusals: 0,
      assembly: undefined,
      answered: undefined,
      expiries: createHeap(),
      dependants: new Map(),
    },
    coordinator: {
      state: "Idle",
      enteredTick: 0,
      activeRange: 0,
      transactions: new Map(),
      bySender: new Map(),
      over: [],
      received: 0,
      pools: new Map(),
      turns: [],
      assemblies: new Map(),
      assembled: new Set(),
      bundles: [],
      dispatched: new Map(),
      dispatchOf: new Map(),
      created: new Map(),
      imported: new Map(),
      spent: new Map(),
      dependants: new Map(),
      other: undefined,
      predecessor: undefined,
      successor: undefined,
      flush: new Set(),
      flushUntil: 0,
      handovers: new Map(),
      heartbeatTick: 0,
      closingBeats: 0,
      ended: createRecent(limits.ended),
    },
    endorser: createEndorser(),
    silent: new Map(),
    requests: 0,
    ignored: new Map(),
  };
  const turn: Turn = { node: sequencer, effects: [], inbox: [], trace };
  restore(turn, records, fulfilled);
  finishTurn(turn);
  return { sequencer, effects: turn.effects };
}

/** Gives an event to the node. Returns what it wants done. */
export function handle(
  sequencer: Sequencer,
  event: Event,
  trace?: Tracer<{ readonly state: string }>,
): Effect[] {
  const turn: Turn = { node: sequencer, effects: [], inbox: [], trace };
  receive(turn, event);
  finishTurn(turn);
  return turn.effects;
}

function receive(turn: Turn, event: Event): void {
  switch (event.type) {
    case "IntentSubmitted":
      return submit(turn, event);
    case "IntentResumed": {
      const transaction = turn.node.sender.transactions.get(event.id);
      if (
        transaction !== undefined &&
        tell(turn, transaction, { type: "Resumed" })
      )
        tellSender(turn, { type: "TransactionCreated" });
      return;
    }
    case "Tick":
      return pass(turn);
    case "BlockSeen":
      return seeBlock(turn, event);
    case "BlocksReverted":
      return revertBlocks(turn, event);
    case "MessageReceived":
      return receiveMessage(turn, event.from, event.message);
    case "AssemblyDone":
      return finishAssembly(turn, event.key, event.outcomes);
    case "EndorsementDone":
      return finishEndorsement(turn, event.digest, event.outcome);
    case "SubmissionFailed":
      return submissionFailed(turn, event);
    case "SubmissionProgressed": {
      const work = turn.node.coordinator.dispatched.get(event.digest);
      for (const id of work?.open ?? []) {
        const transaction = turn.node.coordinator.transactions.get(id);
        if (transaction !== undefined)
          tellTransaction(turn, transaction, {
            type: event.progress === "nonce" ? "NonceAllocated" : "Submitted",
          });
      }
      return;
    }
  }
}

function receiveMessage(turn: Turn, from: NodeName, message: Message): void {
  const { sender } = turn.node;
  switch (message.type) {
    case "DelegationRequest":
      return tellCoordinator(turn, {
        type: "TransactionsDelegated",
        from,
        request: message,
      });
    case "DelegationAccepted":
      return acceptDelegation(turn, from, message);
    case "DelegationRejected":
      return rejectDelegation(turn, from, message);
    case "DelegationReturned":
      for (const id of message.ids) {
        const transaction = sender.transactions.get(id);
        if (transaction?.sentTo === from)
          tell(turn, transaction, { type: "Released" });
      }
      return;
    case "AssembleRequest":
      return receiveAssembleRequest(turn, from, message);
    case "AssembleResponse":
      return receiveAssembleResponse(turn, from, message);
    case "EndorsementRequest":
      return receiveEndorsementRequest(turn, from, message);
    case "Endorsement":
      return receiveEndorsement(turn, from, message);
    case "Refusal":
      return receiveRefusal(turn, from, message);
    case "DispatchPermissionRequest":
      return receivePermissionRequest(turn, from, message);
    case "DispatchPermission":
      return receivePermission(turn, from, message);
    case "DispatchDenial":
      return receiveDenial(turn, from, message);
    case "Dispatched":
      return receiveDispatched(turn, from, message);
    case "DispatchedAck":
      return acknowledgeDispatch(turn, from, message.digest);
    case "TransactionReverted":
      for (const id of message.ids) {
        const transaction = sender.transactions.get(id);
        if (
          transaction === undefined ||
          (transaction.sentTo !== from &&
            transaction.permission?.coordinator !== from)
        )
          continue;
        tell(turn, transaction, {
          type: "ConfirmedReverted",
          reason: message.reason,
          isRetryable: true,
        });
      }
      return;
    case "Heartbeat":
      if (!candidates(turn.node).includes(from)) return;
      tellSender(turn, { type: "HeartbeatReceived", from, heartbeat: message });
      return tellCoordinator(turn, {
        type: "HeartbeatReceived",
        from,
        heartbeat: message,
      });
    case "HandoverRequest":
      if (!candidates(turn.node).includes(from)) return;
      return tellCoordinator(turn, {
        type: "HandoverRequestReceived",
        from,
        height: message.height,
      });
    case "Handover":
      if (!candidates(turn.node).includes(from)) return;
      tellCoordinator(turn, {
        type: "HandoverReceived",
        from,
        handover: message,
      });
      return send(turn, from, { type: "HandoverAck", key: message.key });
    case "HandoverAck":
      if (
        turn.node.coordinator.handovers.get(message.key)?.record.to === from
      ) {
        turn.node.coordinator.handovers.delete(message.key);
        turn.effects.push({ type: "Erase", key: `handover:${message.key}` });
      }
      return;
  }
}

function tellSender(turn: Turn, event: SenderEvent): void {
  step(senderTable, turn.node.sender, event, turn);
}

function tellCoordinator(turn: Turn, event: CoordinatorEvent): void {
  step(coordinatorTable, turn.node.coordinator, event, turn);
}

/** Takes an intent: durable before the user is told. */
function submit(
  turn: Turn,
  {
    intent,
    fulfilled,
    reverted,
  }: Extract<Event, { readonly type: "IntentSubmitted" }>,
): void {
  const { sender } = turn.node;
  if (sender.transactions.has(intent.id)) {
    turn.effects.push({ type: "Accepted", id: intent.id });
    return;
  }
  if (sender.transactions.size >= limits.openIntents) {
    turn.effects.push({
      type: "Refused",
      id: intent.id,
      reason: `${limits.openIntents} intents are open`,
    });
    return;
  }
  if (intent.isPrepareOnly) {
    // Nobody stops it before dispatch yet, and what is only prepared must never be dispatched.
    const reason = "Preparing without dispatch is not supported";
    turn.effects.push({ type: "Refused", id: intent.id, reason });
    return;
  }
  const lost = intent.dependsOn.find((id) => reverted.includes(id));
  if (lost !== undefined) {
    const reason = `It depends on ${lost}, which reverted`;
    turn.effects.push({ type: "Refused", id: intent.id, reason });
    return;
  }
  const transaction = createTransaction(intent, sender.nextSequence++);
  for (const id of intent.dependsOn)
    if (!fulfilled.includes(id)) waitFor(turn, transaction, id);
  sender.transactions.set(intent.id, transaction);
  tell(turn, transaction, { type: "Created" });
  turn.effects.push({ type: "Accepted", id: intent.id });
  tellSender(turn, { type: "TransactionCreated" });
}

function waitFor(
  { node }: Turn,
  transaction: SenderTransaction,
  id: IntentId,
): void {
  transaction.waitsFor.add(id);
  const waiting = node.sender.dependants.get(id) ?? [];
  waiting.push(transaction.id);
  node.sender.dependants.set(id, waiting);
}

function createTransaction(
  intent: Intent,
  sequence: number,
): SenderTransaction {
  return {
    state: "Initial",
    id: intent.id,
    intent,
    sequence,
    sentTo: undefined,
    isAccepted: false,
    step: undefined,
    permission: undefined,
    liveUntil: 0,
    isDispatched: false,
    retries: 0,
    reason: undefined,
    isDoomed: false,
    parked: undefined,
    waitsFor: new Set(),
  };
}

/** Puts everything back as the records say. */
function restore(
  turn: Turn,
  records: readonly SavedRecord[],
  fulfilled: readonly IntentId[],
): void {
  const { node } = turn;
  const intents = records.filter(
    (record) => record.kind === "intent" && record.receipt === undefined,
  ) as IntentRecord[];
  for (const record of intents.sort((a, b) => a.sequence - b.sequence))
    restoreIntent(turn, record);
  for (const transaction of node.sender.transactions.values())
    for (const id of transaction.intent.dependsOn)
      if (!fulfilled.includes(id)) waitFor(turn, transaction, id);
  for (const record of records) {
    if (record.kind === "intent" && record.receipt?.type === "Reverted")
      failDependants(turn, record.intent.id);
    if (record.kind === "dispatch") restoreDispatch(turn, record);
    if (record.kind === "handover")
      node.coordinator.handovers.set(record.key, {
        record,
        tries: 0,
        dueTick: node.tick,
      });
  }
  if (node.coordinator.dispatched.size > 0) node.coordinator.state = "Flush";
}

function restoreIntent(turn: Turn, record: IntentRecord): void {
  const { sender } = turn.node;
  const { permission, isDispatched, parked } = record;
  const transaction: SenderTransaction = {
    ...createTransaction(record.intent, record.sequence),
    ...pickSaved(record),
  };
  sender.transactions.set(transaction.id, transaction);
  sender.nextSequence = Math.max(sender.nextSequence, record.sequence + 1);
  sender.state = "Sending";
  if (permission !== undefined)
    push(sender.expiries, transaction.liveUntil, transaction.id);
  if (parked !== undefined) {
    transaction.state = "Parked";
    sender.parked += 1;
  } else if (record.isDoomed) transaction.state = "Pending";
  else if (isDispatched) transaction.state = "Dispatched";
  else if (
    permission !== undefined &&
    permission.validUntil > turn.node.height
  ) {
    transaction.state = "Prepared";
    sendTo(sender, transaction, permission.coordinator);
    transaction.isAccepted = true;
  } else {
    transaction.state = "Pending";
    push(sender.outgoing, transaction.sequence, transaction.id);
  }
}

function pickSaved({
  retries,
  permission,
  liveUntil,
  isDispatched,
  reason,
  isDoomed,
  parked,
}: IntentRecord): Partial<SenderTransaction> {
  return {
    retries,
    permission,
    liveUntil,
    isDispatched,
    reason,
    isDoomed,
    parked,
  };
}

/** A tick: whatever waits for time. */
function pass(turn: Turn): void {
  const { node } = turn;
  const { coordinator, config } = node;
  node.tick += 1;
  watch(turn);
  watchAssemblies(turn);
  watchBundles(turn);
  for (const work of coordinator.dispatched.values()) {
    if (node.tick < work.dueTick) continue;
    work.tries += 1;
    work.dueTick = nextTry(turn, work.tries, work.record.bundle.digest);
    notifyDispatched(turn, work.record);
  }
  for (const [key, work] of coordinator.handovers) {
    if (node.height > work.record.flushUntil) {
      // What it hands over is on the ledger, or never will be.
      coordinator.handovers.delete(key);
      turn.effects.push({ type: "Erase", key: `handover:${key}` });
      continue;
    }
    if (node.tick < work.dueTick) continue;
    work.tries += 1;
    work.dueTick = nextTry(turn, work.tries, work.record.key);
    sendHandover(turn, work.record);
  }
  if (node.tick - coordinator.heartbeatTick >= config.heartbeatTicks)
    beat(turn);
  watchPredecessor(turn);
}

function beat(turn: Turn): void {
  const { coordinator, tick, sender } = turn.node;
  coordinator.heartbeatTick = tick;
  sendHeartbeats(turn);
  const { over } = coordinator;
  coordinator.over = [];
  for (const transaction of over)
    tellTransaction(turn, transaction, { type: "HeartbeatInterval" });
  if (
    sender.active === undefined ||
    tick - sender.active.tick > graceTicks(turn.node.config)
  )
    tellSender(turn, { type: "HeartbeatInterval" });
  tellCoordinator(turn, { type: "HeartbeatInterval" });
}

/** Gives up waiting for a handover or its flush point. */
function watchPredecessor(turn: Turn): void {
  const { coordinator, tick, config } = turn.node;
  if (coordinator.state !== "Elect" && coordinator.state !== "Prepared") return;
  const { other, enteredTick } = coordinator;
  const grace = graceTicks(config);
  // Whoever dispatches, or has dispatched, is the one to wait for.
  if (
    coordinator.state === "Elect" &&
    (other?.claim === "Active" || other?.claim === "Flush") &&
    tick - other.tick <= grace
  )
    coordinator.predecessor = other.node;
  const { predecessor } = coordinator;
  const isHeard =
    other !== undefined &&
    other.node === predecessor &&
    tick - other.tick <= grace;
  if (
    predecessor === undefined ||
    (!isHeard && tick - enteredTick > grace) ||
    tick - enteredTick > 4 * config.stateTicks
  ) {
    tellCoordinator(turn, { type: "PredecessorSilent" });
  } else if (
    coordinator.state === "Elect" &&
    (tick - enteredTick) % config.heartbeatTicks === 0
  ) {
    send(turn, predecessor, {
      type: "HandoverRequest",
      height: turn.node.height,
    });
  }
}

function seeBlock(
  turn: Turn,
  { height, facts }: Extract<Event, { readonly type: "BlockSeen" }>,
): void {
  const { node } = turn;
  if (height <= node.height) return;
  node.height = height;
  for (const fact of facts) {
    for (const id of fact.intents) confirmOwn(turn, id, height);
    ledgerFulfilled(turn, fact);
    for (const id of fact.intents) node.coordinator.flush.delete(id);
  }
  for (const id of new Set(popUntil(node.sender.expiries, height)))
    expire(turn, id);
  for (const [digest, { record }] of node.coordinator.dispatched) {
    if (record.bundle.validUntil >= height) continue;
    submissionFailed(turn, {
      type: "SubmissionFailed",
      digest,
      failure: "expired",
      reason: "expired",
      isRetryable: true,
    });
  }
  endorserSeesBlock(
    turn,
    facts.flatMap(({ intents }) => intents),
  );
  startAssembly(turn);
  tellSender(turn, { type: "NewBlock" });
  tellCoordinator(turn, { type: "NewBlock" });
  tellCoordinator(turn, { type: "TransactionConfirmed" });
}

function confirmOwn(turn: Turn, id: IntentId, block: number): void {
  const { sender } = turn.node;
  const transaction = sender.transactions.get(id);
  if (
    transaction !== undefined &&
    tell(turn, transaction, { type: "ConfirmedSuccess", block })
  ) {
    tellSender(turn, { type: "TransactionConfirmed" });
  }
  for (const dependantId of sender.dependants.get(id) ?? []) {
    const dependant = sender.transactions.get(dependantId);
    if (dependant === undefined) continue;
    dependant.waitsFor.delete(id);
    if (dependant.waitsFor.size === 0)
      push(sender.outgoing, dependant.sequence, dependantId);
  }
  sender.dependants.delete(id);
}

/** It ended as reverted, and so does what depends on it. */
function failDependants(turn: Turn, id: IntentId): void {
  const { sender } = turn.node;
  for (const dependantId of sender.dependants.get(id) ?? []) {
    const dependant = sender.transactions.get(dependantId);
    const reason = `It depends on ${id}, which reverted`;
    if (
      dependant !== undefined &&
      tell(turn, dependant, { type: "DependencyReverted", reason })
    )
      tellSender(turn, { type: "TransactionConfirmed" });
  }
  sender.dependants.delete(id);
}

/** No permission for it can be used any more. */
function expire(turn: Turn, id: IntentId): void {
  const transaction = turn.node.sender.transactions.get(id);
  if (transaction === undefined) return;
  const { state } = transaction;
  if (
    state === "Dispatched" ||
    state === "Sequenced" ||
    state === "Submitted"
  ) {
    tell(turn, transaction, {
      type: "ConfirmedReverted",
      reason: "expired",
      isRetryable: true,
    });
  } else if (tell(turn, transaction, { type: "PermissionExpired" })) {
    tellSender(turn, { type: "TransactionConfirmed" });
  }
}

/** A reorganisation: what was confirmed in the lost blocks goes on as if it had never been. */
function revertBlocks(
  turn: Turn,
  {
    height,
    facts,
    reopened,
  }: Extract<Event, { readonly type: "BlocksReverted" }>,
): void {
  const { node } = turn;
  node.height = height;
  for (const { intents } of facts) {
    for (const id of intents) {
      forget(node.endorser.fulfilled, id);
      forget(node.coordinator.ended, id);
    }
  }
  ledgerReverted(turn, facts);
  for (const record of reopened) {
    if (node.sender.transactions.has(record.intent.id)) continue;
    restoreIntent(turn, { ...record, receipt: undefined });
    turn.effects.push({
      type: "Save",
      record: { ...record, receipt: undefined },
    });
  }
}

function acknowledgeDispatch(turn: Turn, from: NodeName, digest: Digest): void {
  const work = turn.node.coordinator.dispatched.get(digest);
  if (work === undefined || work.record.acknowledged.includes(from)) return;
  work.record = {
    ...work.record,
    acknowledged: [...work.record.acknowledged, from],
  };
  turn.effects.push({ type: "Save", record: work.record });
}

/** Messages to itself, then whatever became possible. */
function finishTurn(turn: Turn): void {
  const { node, inbox, effects } = turn;
  let settled = 0;
  for (;;) {
    for (
      let message = inbox.shift();
      message !== undefined;
      message = inbox.shift()
    ) {
      receiveMessage(turn, node.config.self, message);
    }
    for (; settled < effects.length; settled += 1) {
      const effect = effects[settled];
      if (effect?.type === "Settled" && effect.receipt.type === "Reverted")
        failDependants(turn, effect.receipt.id);
    }
    delegate(turn);
    work(turn);
    if (inbox.length === 0) return;
  }
}

function work(turn: Turn): void {
  const { state } = turn.node.coordinator;
  if (state === "Active" || state === "Prepared") {
    requestAssemblies(turn);
    formBundles(turn);
  }
  if (state === "Active") askPermission(turn);
}

/** What a transaction of this node waits for, in one sentence; undefined if it is not open here. */
export function explain(
  { sender, height }: Sequencer,
  id: IntentId,
): string | undefined {
  const transaction = sender.transactions.get(id);
  if (transaction === undefined) return undefined;
  const { state, sentTo, waitsFor, reason, liveUntil } = transaction;
  if (transaction.isDoomed)
    return `It failed (${reason ?? "unknown"}) and ends after block ${liveUntil}; this node has seen ${height}.`;
  if (waitsFor.size > 0) return `It waits for ${[...waitsFor].join(", ")}.`;
  switch (state) {
    case "Parked":
      return `It is parked: ${transaction.parked ?? "not ready"}. Resume it when it is ready.`;
    case "Initial":
    case "Pending":
    case "Delegated":
      if (sentTo !== undefined)
        return `It waits for ${sentTo} to ask for its assembly.`;
      if (sender.waitForRange !== undefined)
        return `This node is behind: it waits for range ${sender.waitForRange}.`;
      return reason === undefined
        ? "It waits to be delegated."
        : `It is tried again after: ${reason}.`;
    case "Assembling":
    case "Signing":
      return "It is being assembled.";
    case "EndorsementGathering":
      return `${sentTo ?? "The coordinator"} gathers endorsements.`;
    case "Prepared":
      return `${sentTo ?? "The coordinator"} may dispatch it until block ${liveUntil}.`;
    case "Dispatched":
    case "Sequenced":
    case "Submitted":
      return `It is dispatched and waits for the ledger, until block ${liveUntil}.`;
    case "Confirmed":
    case "Reverted":
      return undefined;
  }
}

export type { Sequencer } from "./turn.ts";
