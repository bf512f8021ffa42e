import { messageTypes } from "./hearsay.ts";
import type { Liar, LiarPorts } from "./liar.ts";

/** Never says some kinds of things, or not to everybody. */
export function createWithholder({
  settings,
  random,
  faults,
  liar,
  isLying,
}: LiarPorts): Liar {
  const { members } = settings.config;
  const secret = new Set<string>(
    messageTypes.filter(() => random.chance(liar.rate)),
  );
  const isToAll = random.chance(0.5);
  const shunned = new Set(members.filter(() => isToAll || random.chance(0.5)));
  return {
    twist: (to, message) => {
      if (!isLying() || !secret.has(message.type) || !shunned.has(to))
        return [{ to, message }];
      faults.count(`kept-${message.type}`);
      return [];
    },
    hear: () => undefined,
  };
}
