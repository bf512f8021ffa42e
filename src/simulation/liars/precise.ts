import { alter } from "./alteration.ts";
import type { Means } from "./fields.ts";
import { messageTypes, speakOf, type SpokenOf } from "./hearsay.ts";
import { Knowledge, ownersOf, type Subject } from "./knowledge.ts";
import {
  atHeight,
  type Liar,
  type LiarPorts,
  type Said,
  sayLater,
} from "./liar.ts";

/** What it takes to alter messages and to speak of others. */
export function meansOf(ports: LiarPorts): Means {
  const { self, keys, settings, random, makeUp, height } = ports;
  const { config } = settings;
  const knowledge = new Knowledge(config.hashing);
  return { self, keys, rules: config, knowledge, random, makeUp, height };
}

/** About these a liar has most to say: they end what others wait for. */
const urgent: readonly SpokenOf[] = [
  "Dispatched",
  "TransactionReverted",
  "DelegationReturned",
  "Handover",
];
const likely = [...messageTypes, ...urgent, ...urgent];

/** Changes one thing in an exchange that is otherwise right, at the right moment. */
export function createPrecise(ports: LiarPorts): Liar {
  const { self, settings, random, faults, liar, isLying } = ports;
  const { members } = settings.config;
  const means = meansOf(ports);
  const { knowledge } = means;
  const gossip = (subject: Subject, types: readonly SpokenOf[]): void => {
    for (let count = random.between(2, 6); count > 0; count -= 1) {
      const type = random.pick(types);
      const said = speakOf(type, subject, { ...means, members });
      if (said === undefined) continue;
      faults.count(`hearsay-${type}`);
      const message = random.chance(0.3)
        ? alter(said.message, means)
        : said.message;
      sayInTime({ ...said, message }, subject.outline.validUntil);
    }
  };
  /** At once, soon, later, or around the last block in which the bundle can happen. */
  const sayInTime = (said: Said, validUntil: number): void => {
    switch (random.below(4)) {
      case 0:
        if (ports.isUp()) ports.say(said.to, said.message);
        return;
      case 1:
        sayLater(ports, said, random.below(settings.blockMs));
        return;
      case 2:
        sayLater(ports, said, random.below(6 * settings.blockMs));
        return;
      default:
        atHeight(ports, validUntil + random.between(-1, 1), () => {
          ports.say(said.to, said.message);
        });
    }
  };
  const isOutside = !settings.config.committee.includes(self);
  const see = (subject: Subject | undefined): void => {
    if (subject === undefined || !isLying()) return;
    // Whoever does not endorse sees a bundle when it is endorsed, and adds to that before it is dispatched.
    if (isOutside && subject.coordinator !== self && ports.isUp()) {
      const said = speakOf("Endorsement", subject, { ...means, members });
      if (said !== undefined) ports.say(said.to, said.message);
    }
    if (random.chance(liar.rate)) gossip(subject, likely);
  };
  return {
    twist: (to, message) => {
      see(knowledge.see(self, message));
      if (!isLying() || !random.chance(liar.rate)) return [{ to, message }];
      if (message.type === "DispatchPermission" && random.chance(0.5)) {
        // While it hesitates, others have permitted what nobody may dispatch.
        const subject = knowledge.subjectOf(message.digest);
        if (subject !== undefined) gossip(subject, urgent);
        faults.count("hesitated");
        return [];
      }
      faults.count(`altered-${message.type}`);
      return [{ to, message: alter(message, means) }];
    },
    maySubmit: ({ bundle }) => {
      if (!isLying() || !random.chance(liar.rate / 2)) return true;
      faults.count("never-submitted");
      // The truth, at last, and a block too early.
      for (const [to, ids] of ownersOf(bundle.steps))
        if (to !== self)
          atHeight(ports, bundle.validUntil - 1, () => {
            const { digest } = bundle;
            const reason = "never submitted";
            ports.say(to, { type: "TransactionReverted", digest, ids, reason });
          });
      return false;
    },
    hear: (from, message) => {
      see(knowledge.see(from, message));
    },
  };
}
