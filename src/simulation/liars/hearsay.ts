import type { IntentId, NodeName } from "../../protocol/ids.ts";
import type { Message, MessageOf } from "../../protocol/messages.ts";
import { netOf } from "../../protocol/net.ts";
import { denials } from "../lies.ts";
import type { Means } from "./fields.ts";
import type { Subject } from "./knowledge.ts";
import type { Said } from "./liar.ts";

/** What it takes to speak of somebody else's bundle. */
export interface HearsayMeans extends Means {
  readonly members: readonly NodeName[];
}

/** Messages in which something is said of somebody else's bundle. */
export type SpokenOf = Exclude<Message["type"], "Leaving">;

/** Every type of message, so that a liar leaves none out. */
export const messageTypes = Object.keys({
  DelegationRequest: true,
  DelegationAccepted: true,
  DelegationRejected: true,
  DelegationReturned: true,
  AssembleRequest: true,
  AssembleResponse: true,
  EndorsementRequest: true,
  Endorsement: true,
  Refusal: true,
  DispatchPermissionRequest: true,
  DispatchPermission: true,
  DispatchDenial: true,
  Dispatched: true,
  DispatchedAck: true,
  TransactionPrepared: true,
  TransactionPreparedAck: true,
  TransactionReverted: true,
  TransactionRefused: true,
  DependencyQuery: true,
  DependencyFailed: true,
  FulfilmentQuery: true,
  FulfilmentProof: true,
  Heartbeat: true,
  Suspicion: true,
  HandoverRequest: true,
  Handover: true,
  HandoverAck: true,
} satisfies Record<SpokenOf, true>) as readonly SpokenOf[];

/**
 * A message of that type about a bundle that somebody else coordinates, as if it were the liar's business: everything in
 * it is true but for who says it. Undefined if the liar does not know enough.
 */
export function speakOf(
  type: SpokenOf,
  { key, coordinator, outline, bundle, owners }: Subject,
  means: HearsayMeans,
): Said | undefined {
  const { self, random, makeUp } = means;
  const { digest, validUntil } = outline;
  const height = means.height();
  const others = means.members.filter((name) => name !== self);
  if (others.length === 0) return undefined;
  const strangers = [...owners].filter(([name]) => name !== self);
  const [sender, ids]: readonly [NodeName, readonly IntentId[]] =
    strangers.length > 0
      ? random.pick(strangers)
      : [random.pick(others), outline.steps.map(({ intentId }) => intentId)];
  const [id] = ids;
  const toCoordinator = (message: Message): Said | undefined =>
    coordinator === self ? undefined : { to: coordinator, message };
  const toSender = (message: Message): Said => ({ to: sender, message });
  const reason = "because I say so";
  switch (type) {
    case "DelegationRequest":
      return toCoordinator({
        type,
        key,
        height,
        intents: ids.map((one) => ({
          id: one,
          laneSalt: "",
          payload: makeUp.payload(),
          dependsOn: [],
          touches: undefined,
          isPrepareOnly: false,
        })),
      });
    case "DelegationAccepted":
    case "DelegationReturned":
      return toSender(
        type === "DelegationReturned"
          ? { type, ids, height }
          : { type, key, ids, height },
      );
    case "DelegationRejected":
      return toSender({
        type,
        key,
        ids,
        height,
        reason: "not-coordinator",
        active: self,
      });
    case "AssembleRequest":
      return toSender({
        type,
        key,
        ids,
        height,
        view: { created: [], spent: [] },
      });
    case "AssembleResponse": {
      const step = bundle?.steps.find(({ sender: owner }) => owner !== self);
      if (step === undefined) return undefined;
      const outcome = { type: "assembled", id: step.intentId, step } as const;
      return toCoordinator({ type, key, outcomes: [outcome] });
    }
    case "EndorsementRequest":
      if (bundle === undefined) return undefined;
      return {
        to: random.pick(others),
        message: {
          type,
          key,
          coordinator: self,
          height,
          bundle,
          view: { created: [], spent: [] },
        },
      };
    case "Endorsement":
      return toCoordinator({
        type,
        key,
        digest,
        signature: means.keys.signDigest(digest),
      });
    case "Refusal":
      return toCoordinator({
        type,
        key,
        digest,
        height,
        reason: "invalid",
        detail: reason,
        faults: id === undefined ? [] : [{ intentId: id, detail: reason }],
      });
    case "DispatchPermissionRequest":
      return toSender({ type, key, ids, bundle: outline });
    case "DispatchPermission":
      return toCoordinator({ type, key, digest, ids });
    case "DispatchDenial":
      return toCoordinator({
        type,
        key,
        digest,
        denied: ids.map((one) => ({ id: one, reason: random.pick(denials) })),
      });
    case "Dispatched":
      return toSender({ type, digest, ids });
    case "DispatchedAck":
      return toCoordinator({ type, digest, ids });
    case "TransactionPrepared":
      if (bundle === undefined) return undefined;
      return toSender({
        type,
        key,
        bundle: bundle,
        endorsements: [
          {
            endorser: self,
            digest,
            signature: means.keys.signDigest(digest),
          },
        ],
      });
    case "TransactionPreparedAck":
      return toCoordinator({ type, key, digest });
    case "TransactionReverted":
      return toSender({ type, digest, ids, reason });
    case "TransactionRefused":
      return id === undefined ? undefined : toSender({ type, key, id, reason });
    case "DependencyQuery":
    case "DependencyFailed":
      return toSender({ type, ids });
    case "FulfilmentQuery":
      return id === undefined
        ? undefined
        : { to: random.pick(others), message: { type, id, digest } };
    case "FulfilmentProof": {
      const step = bundle?.steps.find(({ intentId }) => intentId === id);
      return step === undefined
        ? undefined
        : toSender({ type, bundle: outline, step });
    }
    case "Heartbeat":
      return toSender({
        type,
        state: "Active",
        boot: 1_000,
        beat: height,
        height,
        transactions: ids.map((one) => ({ id: one, stage: "submitted" })),
        isComplete: true,
      });
    case "Suspicion":
      return {
        to: random.pick(others),
        message: { type, key, of: coordinator },
      };
    case "HandoverRequest":
      return toCoordinator({ type, height });
    case "Handover":
      return handOver({ key, coordinator, outline, bundle, owners }, means, {
        height,
        to: random.pick(others),
        flushUntil: validUntil,
      });
    case "HandoverAck":
      return toCoordinator({ type, key });
  }
}

/** Another's bundle, handed over as one's own. */
function handOver(
  { key, outline, bundle }: Subject,
  { rules }: HearsayMeans,
  said: Pick<MessageOf<"Handover">, "height" | "flushUntil"> & Pick<Said, "to">,
): Said {
  const { to, height, flushUntil } = said;
  const net = netOf(bundle?.steps ?? []);
  return {
    to,
    message: {
      type: "Handover",
      key,
      height,
      context: {
        created: net.outputs,
        spent: netOf(outline.steps).inputs,
      },
      places: rules.hashing.placesOf(outline),
      flush: outline.steps.map(({ intentId }) => intentId),
      digests: [outline.digest],
      flushUntil,
    },
  };
}
