import type { Digest, NodeName } from "../../protocol/ids.ts";
import type { Bundle, Endorsement } from "../../protocol/transition.ts";
import { withDeadline } from "./fields.ts";
import { edgeDeadlines, pickOther } from "./heights.ts";
import type { Liar, LiarPorts, Said } from "./liar.ts";

interface Collected {
  readonly bundle: Bundle;
  readonly endorsements: Map<NodeName, Endorsement>;
  isSubmitted: boolean;
}

/** Coordinates as it should, but submits what it has endorsements for when and as it likes: now, late, without asking. */
export function createCollector(ports: LiarPorts): Liar {
  const { self, settings, random, faults, liar, queue } = ports;
  const { isLying, height, execute } = ports;
  const { committee, threshold, hashing, validForBlocks } = settings.config;
  const collected = new Map<Digest, Collected>();
  const collect = (bundle: Bundle): void => {
    const { digest } = bundle;
    if (collected.has(digest)) return;
    const own = {
      endorser: self,
      digest,
      signature: ports.keys.signDigest(digest),
    };
    const endorsements = new Map(
      committee.includes(self) ? [[self, own] as const] : [],
    );
    collected.set(digest, { bundle, endorsements, isSubmitted: false });
  };
  const submit = (work: Collected): void => {
    if (work.isSubmitted || work.endorsements.size < threshold) return;
    work.isSubmitted = true;
    if (random.chance(0.2)) return;
    const { bundle, endorsements } = work;
    const lateMs = 4 * validForBlocks * settings.blockMs;
    const delayMs = random.chance(0.3) ? 0 : random.below(lateMs);
    queue.after(delayMs, () => {
      faults.count("submitted-by-liar");
      execute({ bundle, endorsements: [...endorsements.values()] });
    });
  };
  return {
    twist: (to, message) => {
      const said: Said[] = [{ to, message }];
      if (!isLying()) return said;
      if (message.type === "EndorsementRequest") {
        collect(message.bundle);
        if (!random.chance(liar.rate)) return said;
        // The same bundle, valid for longer.
        const { validUntil } = message.bundle;
        const edges = edgeDeadlines(height(), validUntil, settings.config);
        const later = pickOther(random, edges, validUntil);
        const bundle = withDeadline(message.bundle, later, hashing);
        collect(bundle);
        faults.count("asked-for-longer");
        return [...said, { to, message: { ...message, bundle } }];
      }
      // Nobody is asked, or told.
      const isKept =
        message.type === "DispatchPermissionRequest" ||
        message.type === "Dispatched" ||
        message.type === "TransactionReverted";
      return isKept && random.chance(0.5) ? [] : said;
    },
    // It has them all, with the permissions: now, later, or never.
    maySubmit: ({ bundle, endorsements }) => {
      if (!isLying() || random.chance(0.3)) return true;
      const { digest } = bundle;
      const work = collected.get(digest);
      for (const one of endorsements) work?.endorsements.set(one.endorser, one);
      if (work !== undefined) submit(work);
      return false;
    },
    hear: (from, message) => {
      if (message.type !== "Endorsement") return;
      const { digest, signature } = message;
      const work = collected.get(digest);
      if (work === undefined) return;
      work.endorsements.set(from, { endorser: from, digest, signature });
      if (isLying()) submit(work);
    },
  };
}
