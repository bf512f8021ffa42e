import type { IntentId, NodeName } from "../../protocol/ids.ts";
import { type Liar, type LiarPorts, everyMs } from "./liar.ts";

/** Takes intents, beats, lists them, and never has them assembled. */
export function createHostageTaker(ports: LiarPorts): Liar {
  const { self, settings, faults, height, boot, isLying, say } = ports;
  const { members, heartbeatTicks } = settings.config;
  const held = new Map<NodeName, Set<IntentId>>();
  let beats = 0;
  const beat = (): void => {
    beats += 1;
    for (const to of members) {
      if (to === self) continue;
      say(to, {
        type: "Heartbeat",
        state: "Active",
        boot: boot(),
        beat: beats,
        height: height(),
        transactions: [...(held.get(to) ?? [])].map((id) => ({
          id,
          stage: "pooled",
        })),
        isComplete: true,
      });
    }
  };
  return {
    start: () => {
      everyMs(ports, heartbeatTicks * settings.tickMs, beat);
    },
    hear: (from, message) => {
      if (!isLying() || message.type !== "DelegationRequest") return;
      faults.count("held-hostage");
      const { key, intents } = message;
      const ids = intents.map(({ id }) => id);
      const known = held.get(from) ?? new Set();
      for (const id of ids) known.add(id);
      held.set(from, known);
      say(from, { type: "DelegationAccepted", key, ids, height: height() });
    },
    twist: (to, message) => {
      const { type } = message;
      const isKept =
        type === "AssembleRequest" ||
        type === "DelegationReturned" ||
        type === "DelegationRejected" ||
        type === "DelegationAccepted" ||
        type === "Heartbeat" ||
        type === "Handover";
      return isLying() && isKept ? [] : [{ to, message }];
    },
  };
}
