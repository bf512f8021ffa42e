import type { Message } from "../../protocol/messages.ts";
import { intentIdOf } from "../hashing.ts";
import { withDeadline } from "./fields.ts";
import { messageTypes, speakOf } from "./hearsay.ts";
import type { Subject } from "./knowledge.ts";
import { everyMs, type Liar, type LiarPorts } from "./liar.ts";
import { meansOf } from "./precise.ts";

const burstEveryMs = 250;
const burst = 24;

/** Sends one member more than anybody can read: all of it new, and most of it worth a look. */
export function createFlooder(ports: LiarPorts): Liar {
  const { self, settings, random, faults, height, say, isLying } = ports;
  const { seed, config } = settings;
  const { members, hashing } = config;
  const others = members.filter((name) => name !== self);
  const victim = others.length === 0 ? self : random.pick(others);
  const means = meansOf(ports);
  let count = 0;
  /** Never the same bundle twice. */
  const fresh = (subject: Subject): Subject => {
    const { bundle } = subject;
    if (bundle === undefined) return subject;
    const validUntil = height() + 1 + (count % config.validForBlocks);
    const other = withDeadline(
      { ...bundle, places: [...bundle.places].reverse() },
      validUntil,
      hashing,
    );
    const outline = { ...subject.outline, validUntil, digest: other.digest };
    return { ...subject, bundle: other, outline };
  };
  const delegation = (): Message => ({
    type: "DelegationRequest",
    key: means.knowledge.newKey(self, count),
    height: height(),
    intents: Array.from({ length: 20 }, (_, i) => ({
      id: intentIdOf(seed, 1_000_000 + 20 * count + i),
      laneSalt: "",
      payload: ports.makeUp.payload(),
      dependsOn: [],
      touches: undefined,
      isPrepareOnly: false,
    })),
  });
  return {
    start: () => {
      if (victim === self) return;
      everyMs(ports, burstEveryMs, () => {
        for (let i = 0; i < burst; i++) {
          count += 1;
          const subject = means.knowledge.subjects.pick(random);
          const type = random.pick(messageTypes);
          const said =
            subject === undefined
              ? undefined
              : speakOf(type, fresh(subject), { ...means, members });
          faults.count("flooded");
          say(victim, said?.message ?? delegation());
        }
      });
    },
    twist: (to, message) => {
      means.knowledge.see(self, message);
      return [{ to, message }];
    },
    hear: (from, message) => {
      if (isLying()) means.knowledge.see(from, message);
    },
  };
}
