import type { IntentId, NodeName, RequestKey, StateId } from "../ids.ts";
import { limits } from "../limits.ts";
import type { AssembleOutcome, DenialReason, MessageOf } from "../messages.ts";
import type { Outline } from "../transition.ts";
import { ignore, nextTry, send, type Turn } from "../turn.ts";
import { isEarly, weigh } from "./errors.ts";
import type { Sender } from "./model.ts";
import { tell } from "./tell.ts";
import { eventOf, type SenderTransaction } from "./transaction/model.ts";

/** The coordinator asks for an assembly. A newer request replaces an older one; a repeated one gets the same answer. */
export function receiveAssembleRequest(
  turn: Turn,
  from: NodeName,
  request: MessageOf<"AssembleRequest">,
): void {
  const { sender, height, tick } = turn.node;
  const { answered, assembly } = sender;
  if (answered?.key === request.key && answered.to === from) {
    send(turn, from, answered.response);
    return;
  }
  if (assembly?.request.key === request.key && assembly.from === from) return;
  if (
    from !== sender.delegate ||
    request.height > height + limits.aheadBlocks
  ) {
    const outcomes = request.ids.map((id): AssembleOutcome => ({
      type: "unknown",
      id,
    }));
    send(turn, from, { type: "AssembleResponse", key: request.key, outcomes });
    return;
  }
  sender.assembly = { from, request, sinceTick: tick, isStarted: false };
  startAssembly(turn);
}

/** Starts the waiting assembly once this node has seen the blocks that the coordinator has seen. */
export function startAssembly(turn: Turn): void {
  const { sender, height } = turn.node;
  const { assembly } = sender;
  if (
    assembly === undefined ||
    assembly.isStarted ||
    assembly.request.height > height
  )
    return;
  assembly.isStarted = true;
  const { key, ids, view } = assembly.request;
  const mine = ids.flatMap((id) => {
    const transaction = sender.transactions.get(id);
    return transaction !== undefined &&
      isAssemblable(transaction, assembly.from)
      ? [transaction]
      : [];
  });
  for (const transaction of mine)
    tell(turn, transaction, { type: "AssembleRequestReceived", key });
  if (mine.length === 0) {
    finishAssembly(turn, key, []);
    return;
  }
  const validUntil = height + turn.node.config.validForBlocks;
  raiseHorizon(turn, validUntil);
  turn.effects.push({
    type: "Assemble",
    key,
    intents: mine.map(({ intent }) => intent),
    view,
    validUntil,
  });
}

/** Notes on the disk how far ahead this node signs steps: further than it needs now, so that it does so seldom. */
function raiseHorizon({ node, effects }: Turn, validUntil: number): void {
  const { sender, config } = node;
  if (validUntil <= sender.signedUntil) return;
  sender.signedUntil = validUntil + config.validForBlocks;
  const { signedUntil } = sender;
  effects.push({ type: "Save", record: { kind: "horizon", signedUntil } });
}

function isAssemblable(
  { sentTo, isDoomed, state }: SenderTransaction,
  from: NodeName,
): boolean {
  if (sentTo !== from || isDoomed) return false;
  return (
    state === "Delegated" ||
    state === "Assembling" ||
    state === "EndorsementGathering" ||
    state === "Prepared"
  );
}

/** The domain is done: tell the transactions, then the coordinator. */
export function finishAssembly(
  turn: Turn,
  key: RequestKey,
  outcomes: readonly AssembleOutcome[],
): void {
  const { sender } = turn.node;
  const { assembly } = sender;
  if (assembly?.request.key !== key) {
    ignore(turn, "stale assembly");
    return;
  }
  sender.assembly = undefined;
  const byId = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
  /** What steps create that are not answered: nobody may build on it, and the coordinator does not know of it. */
  const withheld = new Set<StateId>();
  const answerTo = (id: IntentId): AssembleOutcome => {
    const transaction = sender.transactions.get(id);
    const { outcome: told, isCounted } = weigh(
      turn.node.config,
      byId.get(id),
      transaction,
    );
    const outcome = judge(told, transaction, withheld);
    const event =
      outcome === undefined ? undefined : eventOf(outcome, { key, isCounted });
    if (
      outcome === undefined ||
      transaction === undefined ||
      event === undefined ||
      transaction.sentTo !== assembly.from
    ) {
      return { type: "unknown", id };
    }
    if (!tell(turn, transaction, event)) return { type: "unknown", id };
    // The sender tries again itself: the coordinator need not ask.
    return event.type === "AssembleError"
      ? { type: "postponed", id, reason: event.reason }
      : outcome;
  };
  const answers = assembly.request.ids.map((id) => {
    const answer = answerTo(id);
    const outcome = byId.get(id);
    if (outcome?.type === "assembled" && answer.type !== "assembled")
      for (const output of outcome.step.outputs) withheld.add(output.id);
    return answer;
  });
  const response = {
    type: "AssembleResponse",
    key,
    outcomes: answers,
  } as const;
  sender.answered = { to: assembly.from, key, response };
  send(turn, assembly.from, response);
}

/**
 * What an intent depends on is a part of the ledger that it reverts on: before that is there, no revert counts. What is built
 * on a step that is withheld is assembled again.
 */
function judge(
  outcome: AssembleOutcome | undefined,
  transaction: SenderTransaction | undefined,
  withheld: ReadonlySet<StateId>,
): AssembleOutcome | undefined {
  if (
    outcome?.type === "assembled" &&
    [...outcome.step.inputs, ...outcome.step.reads].some((id) =>
      withheld.has(id),
    )
  )
    return {
      type: "postponed",
      id: outcome.id,
      reason: "a step that it builds on is withheld",
    };
  return outcome?.type === "reverted" && isEarly(transaction)
    ? { ...outcome, type: "postponed" }
    : outcome;
}

/** Nobody needs any more what the domain is busy with: the coordinator need not wait for it. */
export function dropAssembly(
  sender: Sender,
  _event: unknown,
  turn: Turn,
): void {
  const { tick, config } = turn.node;
  const { assembly, transactions } = sender;
  if (assembly === undefined) return;
  if (!assembly.isStarted) {
    // The block that it waits for may never come, and whoever asked has given up.
    if (tick - assembly.sinceTick > config.stateTicks)
      sender.assembly = undefined;
    return;
  }
  const { key, ids } = assembly.request;
  if (!ids.some((id) => transactions.has(id))) finishAssembly(turn, key, []);
}

/** The coordinator asks whether it may dispatch exactly this bundle. */
export function receivePermissionRequest(
  turn: Turn,
  from: NodeName,
  request: MessageOf<"DispatchPermissionRequest">,
): void {
  const { key, ids, bundle } = request;
  const { node } = turn;
  const { hashing } = node.config;
  const mine = bundle.steps.filter(
    ({ intentId }) =>
      ids.includes(intentId) || node.sender.transactions.has(intentId),
  );
  const isIntact =
    hashing.bundleDigest(bundle) === bundle.digest &&
    bundle.validUntil > node.height;
  const denied = mine.flatMap(({ intentId, hash }) => {
    const transaction = node.sender.transactions.get(intentId);
    const step = transaction?.step;
    const isSame =
      step !== undefined &&
      hashing.stepHash(step) === hash &&
      bundle.validUntil <= step.validUntil;
    const reason = isIntact
      ? denialOf(transaction, { from, bundle, isSame })
      : "changed";
    return reason === undefined ? [] : [{ id: intentId, reason }];
  });
  if (mine.length === 0) return;
  supersede(node.sender, from, request);
  if (
    denied.length === 0 &&
    mine.some(({ intentId }) => !isInOrder(node.sender, bundle, intentId))
  ) {
    // The coordinator may have seen a block that this node has not. What is too much is asked for again.
    const { undecided } = node.sender;
    if (undecided.length < limits.deferred) undecided.push({ from, request });
    return;
  }
  if (denied.length > 0) {
    send(turn, from, {
      type: "DispatchDenial",
      key,
      digest: bundle.digest,
      denied,
    });
    // The coordinator drops what is denied. Not at once again: what made this node deny it may last.
    node.sender.pausedUntil = nextTry(turn, 0, key);
    for (const { id } of denied) {
      const transaction = node.sender.transactions.get(id);
      if (transaction?.sentTo === from)
        tell(turn, transaction, { type: "Released" });
    }
    return;
  }
  for (const { intentId } of mine) {
    const transaction = node.sender.transactions.get(intentId);
    if (transaction !== undefined)
      tell(turn, transaction, {
        type: "DispatchConfirmationRequestReceived",
        from,
        bundle,
      });
  }
  send(turn, from, {
    type: "DispatchPermission",
    key,
    digest: bundle.digest,
    ids: mine.map(({ intentId }) => intentId),
  });
}

/** Whoever asks about the same intents in another bundle no longer wants the one before: it gets no permission late. */
function supersede(
  { undecided }: Sender,
  from: NodeName,
  { ids }: MessageOf<"DispatchPermissionRequest">,
): void {
  const others = undecided.filter(
    (earlier) =>
      earlier.from !== from ||
      !earlier.request.ids.some((id) => ids.includes(id)),
  );
  undecided.splice(0, undecided.length, ...others);
}

/** Looks again, after a block, at what could not be decided before. */
export function decide(turn: Turn): void {
  const { sender } = turn.node;
  for (const { from, request } of sender.undecided.splice(0))
    receivePermissionRequest(turn, from, request);
}

/** Whether all that it depends on is confirmed, or comes before it in the same bundle. */
function isInOrder(
  { transactions }: Sender,
  { steps }: Outline,
  id: IntentId,
): boolean {
  const { waitsFor: open } = transactions.get(id) ?? {};
  if (open === undefined || open.size === 0) return true;
  const waitsFor = new Set(open);
  for (const { intentId } of steps) {
    if (intentId === id) break;
    waitsFor.delete(intentId);
  }
  return waitsFor.size === 0;
}

function denialOf(
  transaction: SenderTransaction | undefined,
  {
    from,
    bundle,
    isSame,
  }: {
    readonly from: NodeName;
    readonly bundle: Outline;
    /** It is what was assembled last, and for no longer than that may happen. */
    readonly isSame: boolean;
  },
): DenialReason | undefined {
  if (transaction === undefined) return "unknown";
  if (transaction.isDoomed) return "settled";
  if (transaction.intent.isPrepareOnly) return "prepare-only";
  const { permission, sentTo, state } = transaction;
  if (
    permission?.digest === bundle.digest &&
    permission.coordinator === from &&
    (state === "Prepared" || transaction.isDispatched)
  )
    return undefined;
  if (sentTo !== from) return "not-delegate";
  if (state !== "EndorsementGathering" && state !== "Prepared")
    return "changed";
  return isSame ? undefined : "changed";
}

/** The coordinator says that it dispatched a bundle. Durable here before it is acknowledged. */
export function receiveDispatched(
  turn: Turn,
  from: NodeName,
  { digest, ids }: MessageOf<"Dispatched">,
): void {
  for (const id of ids) {
    const transaction = turn.node.sender.transactions.get(id);
    if (
      transaction?.permission?.digest === digest &&
      transaction.permission.coordinator === from
    ) {
      tell(turn, transaction, { type: "Dispatched" });
    }
  }
  send(turn, from, { type: "DispatchedAck", digest, ids });
}
