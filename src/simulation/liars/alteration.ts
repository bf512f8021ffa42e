import type { IntentId } from "../../protocol/ids.ts";
import type { Message, MessageOf } from "../../protocol/messages.ts";
import { denials, refusals } from "../lies.ts";
import {
  edgeHeight,
  type Means,
  otherFaults,
  otherIds,
  otherIntents,
  otherOutcomes,
  otherView,
  signed,
  someoneElse,
} from "./fields.ts";
import {
  alterHandover,
  alterHeartbeat,
  alterPermissionRequest,
  alterPrepared,
  alterRequest,
} from "./parts.ts";

/** The message with exactly one thing in it wrong. Whatever follows from that, a digest say, is made to fit. */
export function alter(message: Message, means: Means): Message {
  const { random, knowledge } = means;
  const pick = (...ways: (() => Message | undefined)[]): Message =>
    random.pick(ways)() ?? message;
  const key = (): Pick<MessageOf<"Refusal">, "key"> | undefined => {
    const other = knowledge.keys.pick(random);
    return other === undefined ? undefined : { key: other };
  };
  const height = (): number => edgeHeight(means);
  const ids = (list: readonly IntentId[]): IntentId[] => otherIds(list, means);
  switch (message.type) {
    case "DelegationRequest":
      return pick(
        () => ({ ...message, height: height() }),
        () => ({ ...message, intents: otherIntents(message, means) }),
        () => ({
          ...message,
          intents: message.intents.map((intent) => ({
            ...intent,
            isPrepareOnly: !intent.isPrepareOnly,
          })),
        }),
      );
    case "DelegationAccepted":
      return pick(
        () => ({ ...message, height: height() }),
        () => ({ ...message, ids: ids(message.ids) }),
        () => ({ ...message, ...key() }),
      );
    case "DelegationRejected":
      return pick(
        () => ({ ...message, height: height() }),
        () => ({ ...message, reason: random.pick(refusals) }),
        () => ({ ...message, active: means.self }),
      );
    case "DelegationReturned":
      return pick(
        () => ({ ...message, height: height() }),
        () => ({ ...message, ids: ids(message.ids) }),
      );
    case "AssembleRequest":
      return pick(
        () => ({ ...message, height: height() }),
        () => ({ ...message, ids: ids(message.ids) }),
        () => ({ ...message, view: otherView(message.view, means) }),
      );
    case "AssembleResponse":
      return pick(
        () => ({ ...message, outcomes: message.outcomes.slice(1) }),
        () => ({ ...message, outcomes: otherOutcomes(message, means) }),
        () => ({ ...message, ...key() }),
      );
    case "EndorsementRequest":
      return alterRequest(message, means);
    case "Endorsement": {
      const digest = knowledge.otherDigest(random, message.digest);
      return pick(
        () => ({ ...message, ...key() }),
        () =>
          digest === undefined
            ? undefined
            : { ...message, digest, signature: means.keys.signDigest(digest) },
      );
    }
    case "Refusal":
      return pick(
        () => ({ ...message, height: height() }),
        () => ({
          ...message,
          reason: message.reason === "invalid" ? "not-coordinator" : "invalid",
        }),
        () => ({ ...message, faults: otherFaults(message.faults, means) }),
      );
    case "DispatchPermissionRequest":
      return alterPermissionRequest(message, means);
    case "DispatchPermission":
      // A change of mind: whoever is in the same bundle is asked about another one.
      if (random.chance(0.3)) {
        const { key: asked, digest } = message;
        const denied = message.ids.map((id) => ({
          id,
          reason: random.pick(denials),
        }));
        return { type: "DispatchDenial", key: asked, digest, denied };
      }
      return pick(
        () => ({ ...message, ids: ids(message.ids) }),
        () => ({
          ...message,
          digest:
            knowledge.otherDigest(random, message.digest) ?? message.digest,
        }),
      );
    case "Dispatched":
    case "TransactionReverted":
    case "DispatchedAck":
      return pick(
        () => ({ ...message, ids: ids(message.ids) }),
        () => ({
          ...message,
          digest:
            knowledge.otherDigest(random, message.digest) ?? message.digest,
        }),
      );
    case "DispatchDenial":
      return pick(
        () => ({
          ...message,
          denied: ids(message.denied.map(({ id }) => id)).map((id) => ({
            id,
            reason: random.pick(denials),
          })),
        }),
        () => ({ ...message, ...key() }),
      );
    case "TransactionPrepared":
      return alterPrepared(message, means);
    case "TransactionPreparedAck":
      return pick(
        () => ({ ...message, ...key() }),
        () => ({
          ...message,
          digest:
            knowledge.otherDigest(random, message.digest) ?? message.digest,
        }),
      );
    case "TransactionRefused":
      return pick(
        () => ({ ...message, ...key() }),
        () => ({
          ...message,
          id: knowledge.foreignId(random, means.self) ?? message.id,
        }),
      );
    case "DependencyQuery":
    case "DependencyFailed":
      return { ...message, ids: ids(message.ids) };
    case "FulfilmentQuery":
      return pick(
        () => ({
          ...message,
          id: knowledge.foreignId(random, means.self) ?? message.id,
        }),
        () => ({
          ...message,
          digest:
            knowledge.otherDigest(random, message.digest) ?? message.digest,
        }),
      );
    case "FulfilmentProof":
      return pick(
        () => ({
          ...message,
          step: knowledge.steps.pick(random) ?? message.step,
        }),
        () => ({
          ...message,
          step: signed({ ...message.step, sender: means.self }, means),
        }),
        () => ({
          ...message,
          bundle: {
            ...message.bundle,
            steps: message.bundle.steps.slice(1),
          },
        }),
      );
    case "Heartbeat":
      return alterHeartbeat(message, means);
    case "Suspicion":
      return pick(
        () => ({ ...message, of: someoneElse(means) }),
        () => ({ ...message, ...key() }),
      );
    case "Leaving":
      return { ...message, isOver: !message.isOver };
    case "HandoverRequest":
      return { ...message, height: height() };
    case "Handover":
      return alterHandover(message, means);
    case "HandoverAck":
      return { ...message, ...key() };
  }
}
