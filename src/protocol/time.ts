import type { NodeName } from "./ids.ts";
import { watchAssemblies } from "./coordinator/assembly.ts";
import { watchBundles } from "./coordinator/deadlines.ts";
import { notifyDispatched } from "./coordinator/dispatch.ts";
import { isNotAwaited } from "./coordinator/flush-guards.ts";
import {
  noteVainWait,
  sendHandover,
  watchFlush,
} from "./coordinator/handover.ts";
import { sendHeartbeats } from "./coordinator/heartbeat.ts";
import { tellTransaction } from "./coordinator/tell.ts";
import { forgetDeferred } from "./endorser.ts";
import { watch } from "./sender/actions.ts";
import { askForDependencies, endDoubts } from "./sender/dependencies.ts";
import { askForProofs } from "./sender/fulfilment.ts";
import { watchProgress } from "./sender/progress.ts";
import { isDraining, sayLeaving } from "./leaving.ts";
import { isAtRest } from "./rest.ts";
import { repeatSuspicions } from "./suspicion.ts";
import { tellCoordinator, tellSender } from "./tell.ts";
import {
  flushTicks,
  graceTicks,
  nextRequest,
  raise,
  send,
  type Turn,
} from "./turn.ts";

/** A tick: whatever waits for time. */
export function pass(turn: Turn): void {
  const { node } = turn;
  const { coordinator, config } = node;
  node.tick += 1;
  raise(turn, "TickPassed");
  // Before anything is asked for that only a coordinator asks for.
  if (isDraining(node)) tellCoordinator(turn, { type: "RoleUnwanted" });
  watch(turn);
  watchProgress(turn);
  endDoubts(turn);
  askForDependencies(turn);
  askForProofs(turn);
  forgetDeferred(turn);
  watchAssemblies(turn);
  watchBundles(turn);
  for (const work of coordinator.dispatched.values()) {
    if (node.tick < work.dueTick) continue;
    work.tries += 1;
    work.dueTick = nextRequest(turn, work.tries, work.record.bundle.digest);
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
    work.dueTick = nextRequest(turn, work.tries, work.record.key);
    sendHandover(turn, work.record);
  }
  if (node.tick - coordinator.heartbeatTick >= config.heartbeatTicks)
    beat(turn);
  watchPredecessor(turn);
  watchFlush(turn);
}

function beat(turn: Turn): void {
  const { coordinator, tick, sender } = turn.node;
  coordinator.heartbeatTick = tick;
  sendHeartbeats(turn);
  if (sender.transactions.size > sender.resting) repeatSuspicions(turn);
  if (isDraining(turn.node) && !isAtRest(turn.node)) sayLeaving(turn);
  const { over } = coordinator;
  coordinator.over = [];
  for (const transaction of over)
    tellTransaction(turn, transaction, { type: "EndReported" });
  tellSender(turn, { type: "HeartbeatInterval" });
  tellCoordinator(turn, { type: "HeartbeatInterval" });
}

/** Another tick in which a node does not hand over. How long it has not, whatever else this node did in between. */
function countWait(
  { node: { coordinator } }: Turn,
  predecessor: NodeName | undefined,
): number {
  if (predecessor === undefined) return 0;
  const ticks = (coordinator.waited.get(predecessor) ?? 0) + 1;
  coordinator.waited.set(predecessor, ticks);
  return ticks;
}

/** Gives up waiting for a handover or its flush point. */
function watchPredecessor(turn: Turn): void {
  const { coordinator, tick, config } = turn.node;
  if (coordinator.state !== "Elect" && coordinator.state !== "Prepared") return;
  const { other, enteredTick, flushTick } = coordinator;
  const grace = graceTicks(config);
  // Whoever dispatches, or has dispatched, is the one to wait for.
  if (
    coordinator.state === "Elect" &&
    (other?.claim === "Active" || other?.claim === "Flush") &&
    tick - other.tick <= grace
  )
    coordinator.predecessor = other.node;
  const { predecessor } = coordinator;
  const heardTick = other?.node === predecessor ? other?.tick : undefined;
  // Whoever was silent already when he was asked has one heartbeat to answer. Whoever has handed over since is not silent.
  const patience =
    coordinator.state === "Elect" ? config.heartbeatTicks : grace;
  const isSilent =
    tick - (heardTick ?? enteredTick) > grace && tick - enteredTick > patience;
  const isElect = coordinator.state === "Elect";
  const waitedTicks = isElect
    ? Math.max(countWait(turn, predecessor), tick - enteredTick)
    : tick - flushTick;
  const isOver = waitedTicks > flushTicks(config);
  // It is heard, and does not hand over.
  if (isElect && isOver && predecessor !== undefined) {
    coordinator.waited.delete(predecessor);
    noteVainWait(turn, predecessor);
  }
  if (
    predecessor === undefined ||
    isSilent ||
    isOver ||
    isNotAwaited(turn.node, predecessor)
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
