import { Adversary } from "../adversary.ts";
import { Random } from "../random.ts";
import type { Liar, LiarPorts } from "./liar.ts";

/** Says again what is old, makes things up, and spoils or keeps back what its node sends. */
export function createClumsy(ports: LiarPorts): Liar {
  const { self, settings, makeUp, random, faults, plan, say } = ports;
  const { members, hashing } = settings.config;
  const adversary = new Adversary(
    { hashing, makeUp },
    new Random(settings.seed, "adversary"),
  );
  return {
    twist: (to, message) => {
      const { withhold, mutate } = plan();
      adversary.observe(message);
      if (random.chance(withhold)) {
        faults.count("withheld");
        return [];
      }
      if (!random.chance(mutate)) return [{ to, message }];
      faults.count(`mutated-${message.type}`);
      return [{ to, message: adversary.mutate(message) }];
    },
    hear: (_from, message) => {
      adversary.observe(message);
      // It asks others at once for what a coordinator asks it for, as if it were the coordinator.
      if (message.type !== "EndorsementRequest") return;
      if (!random.chance(plan().mutate)) return;
      faults.count("usurped");
      for (const to of members)
        if (to !== self) say(to, { ...message, coordinator: self });
    },
    lie: () => {
      const message = adversary.lie(self);
      const to = random.pick(members);
      if (message === undefined || to === self || !ports.isUp()) return;
      faults.count(`lie-${message.type}`);
      say(to, message);
    },
  };
}
