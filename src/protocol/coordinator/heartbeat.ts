import type { IntentId } from "../ids.ts";
import { limits } from "../limits.ts";
import type { CoordinatorClaim, MessageOf, Stage } from "../messages.ts";
import { send, type Turn } from "../turn.ts";
import type { CoordinatorState } from "./model.ts";
import type { CoordinatorTransaction } from "./transaction/model.ts";

/** Only a coordinator with work sends heartbeats: idle groups cost nothing. Each member hears of its own transactions. */
export function sendHeartbeats(turn: Turn): void {
  const { coordinator, config, height, tick } = turn.node;
  const state = claimOf(coordinator.state);
  if (state === undefined) return;
  const { bySender } = coordinator;
  // A node that coordinates only its own intents tells only itself.
  const members = config.mode === "local" ? [config.self] : config.members;
  for (const member of members) {
    const own = bySender.get(member);
    const heartbeat: MessageOf<"Heartbeat"> = {
      type: "Heartbeat",
      state,
      boot: config.boot,
      beat: tick,
      height,
      transactions: listOf(own?.values() ?? []),
      isComplete: (own?.size ?? 0) <= limits.heartbeat,
    };
    send(turn, member, heartbeat);
  }
}

/** As many as one heartbeat takes. */
function listOf(
  transactions: Iterable<CoordinatorTransaction>,
): MessageOf<"Heartbeat">["transactions"] {
  const listed: { readonly id: IntentId; readonly stage: Stage }[] = [];
  for (const transaction of transactions) {
    if (listed.length === limits.heartbeat) break;
    listed.push({ id: transaction.id, stage: stageOf(transaction) });
  }
  return listed;
}

function claimOf(state: CoordinatorState): CoordinatorClaim | undefined {
  switch (state) {
    case "Elect":
    case "Prepared":
    case "Active":
    case "Flush":
    case "Closing":
      return state;
    case "Idle":
    case "Observing":
    case "Standby":
      return undefined;
  }
}

function stageOf({ state }: CoordinatorTransaction): Stage {
  switch (state) {
    case "Initial":
    case "Pooled":
    case "PreAssembly_Blocked":
      return "pooled";
    case "Assembling":
      return "assembling";
    case "Endorsement_Gathering":
    case "Blocked":
      return "endorsing";
    case "Confirming_Dispatch":
    case "Ready_For_Dispatch":
      return "confirming";
    case "Prepared":
      return "prepared";
    case "Dispatched":
      return "dispatched";
    case "Sequenced":
      return "sequenced";
    case "Submitted":
      return "submitted";
    case "Confirmed":
      return "confirmed";
    case "Reverted":
    case "Final":
      return "reverted";
  }
}
