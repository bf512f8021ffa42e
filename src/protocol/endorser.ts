import { liveOther } from "./coordinator/guards.ts";
import { defer, type Deferral, release } from "./deferral.ts";
import type { EndorseOutcome } from "./events.ts";
import type { Digest, IntentId, NodeName, RequestKey } from "./ids.ts";
import { limits } from "./limits.ts";
import type { MessageOf } from "./messages.ts";
import { digestOf } from "./outline.ts";
import {
  createRecent,
  isRemembered,
  recall,
  remember,
  type Recent,
} from "./recent.ts";
import {
  candidates,
  outranks,
  rangeOf,
  send,
  type Sequencer,
  type Turn,
} from "./turn.ts";

type EndorsementRequest = MessageOf<"EndorsementRequest">;

/** How many times as long as this node would make it a bundle may be valid: others may have other settings. */
const VALIDITIES_MAX = 4;

/** The node as an endorser of one group. */
export interface Endorser {
  /** Signatures given: the same digest gets the same one. */
  readonly endorsed: Recent<Digest, string>;
  /** Who waits for which check. */
  readonly checking: Map<
    Digest,
    {
      readonly from: NodeName;
      readonly validUntil: number;
      key: RequestKey;
    }
  >;
  readonly deferred: Deferral;
  /** Intents that the ledger has fulfilled, as far as this node remembers. */
  readonly fulfilled: Recent<IntentId, true>;
}

/** An endorser that knows nothing yet. */
export function createEndorser(): Endorser {
  return {
    endorsed: createRecent(limits.endorsed),
    checking: new Map(),
    deferred: new Map(),
    fulfilled: createRecent(limits.ended),
  };
}

/** Checks what this node can check by itself, then asks the domain. */
export function receiveEndorsementRequest(
  turn: Turn,
  from: NodeName,
  request: EndorsementRequest,
): void {
  const { node } = turn;
  const { endorser, config } = node;
  const { bundle, key } = request;
  if (!config.committee.includes(config.self) || request.coordinator !== from)
    return;
  if (request.height > node.height) {
    if (request.height <= node.height + limits.aheadBlocks)
      defer(endorser.deferred, from, request);
    return;
  }
  if (!isJustified(node, from, request.height)) {
    refuse(turn, from, request, {
      reason: "not-coordinator",
      detail: "another node coordinates",
      intentId: undefined,
    });
    return;
  }
  const wrong = findFault(node, request);
  if (wrong !== undefined) {
    refuse(turn, from, request, { reason: "invalid", ...wrong });
    return;
  }
  const signature = recall(endorser.endorsed, bundle.digest);
  if (signature !== undefined) {
    send(turn, from, {
      type: "Endorsement",
      key,
      digest: bundle.digest,
      signature,
    });
    return;
  }
  const checking = endorser.checking.get(bundle.digest);
  if (checking !== undefined) {
    checking.key = key;
    return;
  }
  const { validUntil } = bundle;
  endorser.checking.set(bundle.digest, { from, key, validUntil });
  turn.effects.push({
    type: "Endorse",
    coordinator: from,
    bundle,
    view: request.view,
  });
}

/** Whether that node may coordinate, by this node's own view alone. protocol.md#5 */
function isJustified(
  node: Sequencer,
  coordinator: NodeName,
  theirHeight: number,
): boolean {
  const { mode, policy, self } = node.config;
  if (mode === "local") return true;
  const order = candidates(node);
  if (!order.includes(coordinator)) return false;
  if (order[0] === coordinator || coordinator === self) return true;
  if (
    policy === "rotating" &&
    rangeOf(node, theirHeight) !== rangeOf(node, node.height)
  )
    return false;
  const other = node.coordinator.state === "Active" ? self : liveOther(node);
  return (
    other === undefined ||
    other === coordinator ||
    !outranks(node, other, coordinator)
  );
}

function findFault(
  { endorser, config, height }: Sequencer,
  { bundle, coordinator }: EndorsementRequest,
): { detail: string; intentId: IntentId | undefined } | undefined {
  const { steps, validUntil, digest } = bundle;
  if (steps.length === 0 || steps.length > limits.bundle)
    return { detail: "the bundle's size", intentId: undefined };
  if (validUntil < height)
    return { detail: "the bundle has expired", intentId: undefined };
  // Whatever is signed can happen until then, whoever collects the signatures.
  if (validUntil > height + VALIDITIES_MAX * config.validForBlocks)
    return { detail: "the bundle is valid for too long", intentId: undefined };
  if (steps.some((step) => step.validUntil < validUntil))
    return { detail: "the bundle outlives a step", intentId: undefined };
  // What is looked at, or was, is not hashed again: all that can come of it is a signature of the same digest.
  const isKnown =
    endorser.checking.has(digest) || isRemembered(endorser.endorsed, digest);
  if (!isKnown && digestOf(config.hashing, bundle) !== digest)
    return { detail: "the digest", intentId: undefined };
  const claimed = steps.find(
    ({ intentId: id, sender, laneSalt, payload }) =>
      !config.hashing.isOwnIntent({ id, sender, laneSalt, payload }),
  );
  if (claimed !== undefined)
    return { detail: "the id of another node", intentId: claimed.intentId };
  const done = steps.find(({ intentId }) =>
    isRemembered(endorser.fulfilled, intentId),
  );
  if (done !== undefined)
    return { detail: "the intent is fulfilled", intentId: done.intentId };
  const foreign =
    config.mode === "local"
      ? steps.find(({ sender }) => sender !== coordinator)
      : undefined;
  return foreign === undefined
    ? undefined
    : { detail: "somebody else's intent", intentId: foreign.intentId };
}

function refuse(
  turn: Turn,
  to: NodeName,
  { key, bundle }: EndorsementRequest,
  why: Pick<MessageOf<"Refusal">, "reason" | "detail" | "intentId">,
): void {
  send(turn, to, {
    type: "Refusal",
    key,
    digest: bundle.digest,
    height: turn.node.height,
    ...why,
  });
}

/** The domain is done with a check. */
export function finishEndorsement(
  turn: Turn,
  digest: Digest,
  outcome: EndorseOutcome,
): void {
  const { endorser, height } = turn.node;
  const checking = endorser.checking.get(digest);
  if (checking === undefined) return;
  endorser.checking.delete(digest);
  const { from, key } = checking;
  if (outcome.type === "refused") {
    const { detail, intentId } = outcome;
    send(turn, from, {
      type: "Refusal",
      key,
      digest,
      height,
      reason: "invalid",
      detail,
      intentId,
    });
    return;
  }
  remember(endorser.endorsed, digest, outcome.signature);
  send(turn, from, {
    type: "Endorsement",
    key,
    digest,
    signature: outcome.signature,
  });
}

/** New blocks: what waited for them is looked at again, and what they fulfilled is remembered. */
export function endorserSeesBlock(
  turn: Turn,
  intents: readonly IntentId[],
): void {
  const { endorser, height } = turn.node;
  for (const id of intents) remember(endorser.fulfilled, id, true);
  // A domain that never answers must not fill the memory.
  for (const [digest, { validUntil }] of endorser.checking)
    if (validUntil < height) endorser.checking.delete(digest);
  for (const { from, request } of release(endorser.deferred, height))
    receiveEndorsementRequest(turn, from, request);
}
