import type { Message, MessageOf } from "../../protocol/messages.ts";
import { claims, stages } from "../lies.ts";
import {
  edgeDeadline,
  edgeHeight,
  type Means,
  otherIds,
  otherView,
  signed,
  someoneElse,
  withDeadline,
} from "./fields.ts";

// Messages in which many things can be wrong.

export function alterRequest(
  message: MessageOf<"EndorsementRequest">,
  means: Means,
): Message {
  const { random, knowledge, rules } = means;
  const { bundle } = message;
  const { hashing } = rules;
  switch (random.below(6)) {
    case 0:
      return { ...message, height: edgeHeight(means) };
    case 1: {
      const digest = knowledge.otherDigest(random, bundle.digest);
      return digest === undefined
        ? message
        : { ...message, bundle: { ...bundle, digest } };
    }
    case 4: {
      // Its own step, signed as it should be, under the id of somebody else's intent.
      const [first, ...rest] = bundle.steps;
      if (first === undefined) return message;
      const stolen = signed({ ...first, sender: means.self }, means);
      const taken = { ...bundle, steps: [stolen, ...rest] };
      const sealed = withDeadline(taken, bundle.validUntil, hashing);
      return { ...message, bundle: sealed };
    }
    case 2: {
      // The digest of what the bundle was before its last step was taken out.
      const steps = bundle.steps.slice(0, -1);
      return { ...message, bundle: { ...bundle, steps } };
    }
    case 3:
      return { ...message, coordinator: someoneElse(means) };
    default: {
      const validUntil = edgeDeadline(bundle.validUntil, means);
      return { ...message, bundle: withDeadline(bundle, validUntil, hashing) };
    }
  }
}

export function alterPermissionRequest(
  message: MessageOf<"DispatchPermissionRequest">,
  means: Means,
): Message {
  const { random, knowledge, rules } = means;
  const { bundle } = message;
  switch (random.below(5)) {
    case 0:
      return { ...message, ids: otherIds(message.ids, means) };
    case 1: {
      const digest = knowledge.otherDigest(random, bundle.digest);
      return digest === undefined
        ? message
        : { ...message, bundle: { ...bundle, digest } };
    }
    default: {
      const validUntil = edgeDeadline(bundle.validUntil, means);
      const { steps, places } = bundle;
      const unsealed = { steps, places, validUntil };
      const digest = rules.hashing.bundleDigest(unsealed);
      return { ...message, bundle: { ...unsealed, digest } };
    }
  }
}

export function alterPrepared(
  message: MessageOf<"TransactionPrepared">,
  means: Means,
): Message {
  const { bundle, endorsements } = message;
  switch (means.random.below(3)) {
    case 0:
      return { ...message, endorsements: endorsements.slice(1) };
    case 1:
      return {
        ...message,
        endorsements: [...endorsements, ...endorsements.slice(0, 1)],
      };
    default: {
      const validUntil = edgeDeadline(bundle.validUntil, means);
      const other = withDeadline(bundle, validUntil, means.rules.hashing);
      return { ...message, bundle: other };
    }
  }
}

export function alterHeartbeat(
  message: MessageOf<"Heartbeat">,
  means: Means,
): Message {
  const { random, knowledge, self } = means;
  const { transactions, boot, beat } = message;
  const stage = random.pick(stages);
  const id = knowledge.foreignId(random, self);
  switch (random.below(7)) {
    case 0:
      return { ...message, state: random.pick(claims) };
    case 1:
      return { ...message, boot: Math.max(0, boot + random.pick([-1, 1])) };
    case 2:
      return { ...message, beat: Math.max(0, beat + random.pick([-2, -1, 1])) };
    case 3:
      return { ...message, height: edgeHeight(means) };
    case 4:
      return { ...message, transactions: transactions.slice(1) };
    case 5:
      return id === undefined
        ? message
        : { ...message, transactions: [...transactions, { id, stage }] };
    default:
      return { ...message, isComplete: !message.isComplete };
  }
}

export function alterHandover(
  message: MessageOf<"Handover">,
  means: Means,
): Message {
  const { random, knowledge } = means;
  const { context, flush, places, digests, flushUntil } = message;
  switch (random.below(6)) {
    case 0:
      return { ...message, height: edgeHeight(means) };
    case 1:
      return { ...message, flushUntil: edgeDeadline(flushUntil, means) };
    case 2: {
      const [digest] = digests;
      const other = digest && knowledge.otherDigest(random, digest);
      return { ...message, digests: other === undefined ? [] : [other] };
    }
    case 3:
      return { ...message, flush: otherIds(flush, means) };
    case 4:
      return { ...message, context: otherView(context, means) };
    default:
      return { ...message, places: places.slice(1) };
  }
}
