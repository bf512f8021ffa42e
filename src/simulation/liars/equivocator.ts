import { alter } from "./alteration.ts";
import type { Liar, LiarPorts } from "./liar.ts";
import { meansOf } from "./precise.ts";

/** Tells some the truth, and others something else, always the same ones. */
export function createEquivocator(ports: LiarPorts): Liar {
  const { self, settings, random, faults, isLying } = ports;
  const { members } = settings.config;
  const means = meansOf(ports);
  const deceived = new Set(members.filter(() => random.chance(0.5)));
  return {
    twist: (to, message) => {
      means.knowledge.see(self, message);
      if (!isLying()) return [{ to, message }];
      // Two coordinators for the same intents.
      if (message.type === "DelegationRequest") {
        faults.count("delegated-twice");
        const other = random.pick(members);
        return other === self || other === to
          ? [{ to, message }]
          : [
              { to, message },
              { to: other, message },
            ];
      }
      if (!deceived.has(to)) return [{ to, message }];
      faults.count(`equivocated-${message.type}`);
      return [{ to, message: alter(message, means) }];
    },
    hear: (from, message) => {
      means.knowledge.see(from, message);
    },
  };
}
