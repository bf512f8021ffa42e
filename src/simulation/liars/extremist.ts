import { limits } from "../../protocol/limits.ts";
import type { Message } from "../../protocol/messages.ts";
import { withDeadline } from "./fields.ts";
import type { Liar, LiarPorts, Said } from "./liar.ts";

const LAST_BLOCK = Number.MAX_SAFE_INTEGER;
const extremes = [2 ** 31, 2 ** 50, LAST_BLOCK];

/** Asks for as much, as late and as high as it can, besides what its node asks for. */
export function createExtremist(ports: LiarPorts): Liar {
  const { settings, random, faults, liar, height, isLying } = ports;
  const { hashing, validForBlocks } = settings.config;
  const far = (): number =>
    random.pick([
      ...extremes,
      height() + limits.aheadBlocks,
      height() + 4 * validForBlocks,
    ]);
  const exaggerate = (message: Message): Message | undefined => {
    switch (message.type) {
      case "DelegationRequest":
      case "AssembleRequest":
      case "HandoverRequest":
      case "DelegationRejected":
      case "Refusal":
      case "Heartbeat":
        return { ...message, height: far() };
      case "Handover":
        return random.chance(0.5)
          ? { ...message, flushUntil: far() }
          : { ...message, height: far() };
      case "EndorsementRequest": {
        const { bundle } = message;
        if (random.chance(0.3)) {
          const ahead = far();
          const isPlausible = random.chance(0.5);
          const until = Math.min(ahead + validForBlocks, LAST_BLOCK);
          return {
            ...message,
            height: ahead,
            bundle: isPlausible ? withDeadline(bundle, until, hashing) : bundle,
          };
        }
        const { steps } = bundle;
        const many = Array.from({ length: limits.bundle }, () => steps).flat();
        const large = { ...bundle, steps: many };
        const kept = random.chance(0.3) ? large : bundle;
        return { ...message, bundle: withDeadline(kept, far(), hashing) };
      }
      case "DispatchPermissionRequest": {
        const { steps, places } = message.bundle;
        const unsealed = { steps, places, validUntil: far() };
        const digest = hashing.bundleDigest(unsealed);
        return { ...message, bundle: { ...unsealed, digest } };
      }
      case "DelegationAccepted":
      case "DelegationReturned":
      case "AssembleResponse":
      case "Endorsement":
      case "DispatchPermission":
      case "DispatchDenial":
      case "Dispatched":
      case "DispatchedAck":
      case "TransactionPrepared":
      case "TransactionPreparedAck":
      case "TransactionReverted":
      case "TransactionRefused":
      case "DependencyQuery":
      case "DependencyFailed":
      case "FulfilmentQuery":
      case "FulfilmentProof":
      case "Suspicion":
      case "Leaving":
      case "HandoverAck":
        return undefined;
    }
  };
  return {
    twist: (to, message) => {
      const said: Said[] = [{ to, message }];
      if (!isLying() || !random.chance(liar.rate)) return said;
      const extreme = exaggerate(message);
      if (extreme === undefined) return said;
      faults.count(`extreme-${message.type}`);
      return random.chance(0.5)
        ? [{ to, message: extreme }]
        : [...said, { to, message: extreme }];
    },
    hear: () => undefined,
  };
}
