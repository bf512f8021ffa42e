import { liveOther } from "../coordinator/guards.ts";
import type { NodeName } from "../ids.ts";
import { limits } from "../limits.ts";
import { suspect } from "../suspicion.ts";
import {
  candidates,
  graceTicks,
  isFoundSilent,
  patienceTicks,
  type Sequencer,
  type Turn,
} from "../turn.ts";
import { takeBack } from "./actions.ts";
import type { SenderTransaction } from "./transaction/model.ts";

/** Times the patience for one step after which a transaction must be dispatched, whatever steps it takes again and again. */
const STEPS = 3;

/** Blocks after which a coordinator had a chance: without any, the chain stands still. */
const BLOCKS = 2;

/**
 * Whether coordinators do anything for this node. The oldest transaction that waits for nothing else gets one step further in
 * time; otherwise whoever was its coordinator for most of that time is suspected. To lose it, give it back, refuse it or have
 * it assembled again is no step.
 */
export function watchProgress(turn: Turn): void {
  const { sender, config, tick, height } = turn.node;
  const delegate = delegateOf(turn.node);
  const first = delegate === undefined ? undefined : findFirst(turn.node);
  if (delegate === undefined || first === undefined) {
    sender.first = undefined;
    return;
  }
  const stage = stageOf(first);
  const known = sender.first;
  if (known?.id !== first.id) {
    sender.first = {
      id: first.id,
      stage,
      sinceTick: tick,
      stageTick: tick,
      height,
      isBehind: false,
      ticksWith: new Map([[delegate, 1]]),
    };
    return;
  }
  known.ticksWith.set(delegate, (known.ticksWith.get(delegate) ?? 0) + 1);
  if (stage > known.stage) {
    known.stage = stage;
    known.stageTick = tick;
    known.height = height;
  }
  if (sender.waitForRange !== undefined) known.isBehind = true;
  const patience = patienceTicks(config);
  // Whoever is told to be behind may be. But nobody is behind for ever, and he who says so may lie.
  const isLate =
    (tick - known.stageTick > patience && !known.isBehind) ||
    tick - known.sinceTick > STEPS * patience;
  if (!isLate || height < known.height + BLOCKS) return;
  sender.first = undefined;
  const culprit = mostOf(known.ticksWith);
  if (culprit !== undefined) leave(turn, culprit);
}

/** Suspects a coordinator, if there is another one, and takes back what it has. */
function leave(turn: Turn, culprit: NodeName): void {
  if (!hasOther(turn.node, culprit)) return;
  suspect(turn, culprit);
  takeBack(turn, culprit);
}

/**
 * A transaction failed, and its coordinator's word is all that says why; or it was said to be dispatched, and never happened. The
 * retries are not all spent on one coordinator: another one has the second half of them, and at once if nothing happened.
 */
export function noteFailure(
  turn: Turn,
  transaction: SenderTransaction,
  { by, isExpired }: { readonly by: NodeName; readonly isExpired: boolean },
): void {
  const { sender, config } = turn.node;
  const { failedAt } = transaction;
  const count = failedAt?.coordinator === by ? failedAt.count + 1 : 1;
  transaction.failedAt = { coordinator: by, count };
  if (transaction.state !== "Delegated" || by === config.self) return;
  if (by !== sender.delegate) return;
  if (isExpired || count >= Math.max(1, config.retriesMax / 2)) leave(turn, by);
}

/**
 * Whoever says that it coordinates, or else whom this node delegates to. Nobody while it is this node, unless that takes nothing as it hears
 * another one at work: one that it has passed over for what that one said, or did not answer.
 */
function delegateOf(node: Sequencer): NodeName | undefined {
  const { coordinator, sender, config, tick } = node;
  if (config.mode === "local") return undefined;
  const { active, delegate } = sender;
  if (delegate === config.self)
    return coordinator.state === "Observing" ? liveOther(node) : undefined;
  const isHeard =
    active !== undefined && tick - active.tick <= graceTicks(config);
  const name = isHeard ? active.node : delegate;
  return name === config.self ? undefined : name;
}

/** The oldest transaction that only a coordinator can help. Behind as many as one has at a time, it is not the first. */
function findFirst({ sender, tick }: Sequencer): SenderTransaction | undefined {
  let seen = 0;
  for (const transaction of sender.transactions.values()) {
    if (++seen > 2 * limits.delegated) return undefined;
    const { isDoomed, waitsFor, retryTick, postponements } = transaction;
    if (isDoomed || waitsFor.size > 0 || stageOf(transaction) < 0) continue;
    // After a failure it pauses. What is postponed waits for its coordinator's work.
    if (retryTick > tick && postponements === 0) continue;
    return transaction;
  }
  return undefined;
}

/** How far a coordinator has brought it; negative if it needs none now. */
function stageOf({ state, isAccepted }: SenderTransaction): number {
  switch (state) {
    case "Initial":
    case "Pending":
    case "Delegated":
      return isAccepted ? 1 : 0;
    case "Assembling":
      return 2;
    case "EndorsementGathering":
      return 3;
    case "Prepared":
      return 4;
    case "Dispatched":
    case "Sequenced":
    case "Submitted":
    case "Unproven":
    case "Confirmed":
    case "Reverted":
    case "Parked":
    case "PreparedForUser":
    case "Lapsed":
      return -1;
  }
}

function mostOf(ticks: ReadonlyMap<NodeName, number>): NodeName | undefined {
  let most: NodeName | undefined;
  for (const [node, count] of ticks)
    if (most === undefined || count > (ticks.get(most) ?? 0)) most = node;
  return most;
}

/** Whether there is somebody else to turn to. That one may have been suspected by the culprit. */
function hasOther(node: Sequencer, culprit: NodeName): boolean {
  return candidates(node).some(
    (candidate) => candidate !== culprit && !isFoundSilent(node, candidate),
  );
}
