import { liveOther } from "./coordinator/guards.ts";
import { defer, type Deferral, release } from "./deferral.ts";
import type { EndorseOutcome, LedgerFact } from "./events.ts";
import type { Digest, IntentId, NodeName, RequestKey } from "./ids.ts";
import { limits } from "./limits.ts";
import type { MessageOf } from "./messages.ts";
import { digestOf } from "./outline.ts";
import { createRecent, isRemembered, remember, type Recent } from "./recent.ts";
import {
  createSigned,
  expireSigned,
  hasTooMuchSigned,
  keepSigned,
  type Signed,
  signedHappened,
} from "./signed.ts";
import { lengthOfBundle } from "./size.ts";
import type { Bundle, Step } from "./transition.ts";
import {
  candidates,
  isSuspected,
  outranks,
  rangeOf,
  send,
  type Sequencer,
  type Turn,
} from "./turn.ts";

type EndorsementRequest = MessageOf<"EndorsementRequest">;

/** How many times as long as this node would make it a bundle may be valid: others may have other settings. */
const VALIDITIES_MAX = 4;

const expired = { detail: "the bundle has expired", faults: [] };

/** A check that the domain is busy with. */
interface Check {
  /** The first that asked for it: it counts against what that node may have checked at a time. */
  readonly from: NodeName;
  readonly validUntil: number;
  readonly bundle: Bundle;
  /** All that wait for it, each with the key of its own request. */
  readonly askers: Map<NodeName, RequestKey>;
}

/** The node as an endorser of one group. */
export interface Endorser {
  /** Signatures given: the same digest gets the same one. */
  readonly signed: Signed;
  /** Checks under way. */
  readonly checking: Map<Digest, Check>;
  readonly deferred: Deferral;
  /** How many steps each member wanted to see in the last tick in which it asked. */
  readonly shown: Map<NodeName, { readonly tick: number; count: number }>;
  /** When a request was deferred last. */
  deferredTick: number;
  /** Intents that the ledger has fulfilled, as far as this node remembers. */
  readonly fulfilled: Recent<IntentId, true>;
}

/** An endorser that knows nothing yet. */
export function createEndorser(): Endorser {
  return {
    signed: createSigned(),
    checking: new Map(),
    deferred: new Map(),
    shown: new Map(),
    deferredTick: 0,
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
    if (request.height > node.height + limits.aheadBlocks) return;
    // It would only wait to be refused.
    if (bundle.validUntil < request.height) {
      refuse(turn, from, request, { reason: "invalid", ...expired });
      return;
    }
    defer(endorser.deferred, from, request);
    endorser.deferredTick = node.tick;
    return;
  }
  if (!isJustified(node, from, request.height)) {
    refuse(turn, from, request, {
      reason: "not-coordinator",
      detail: "another node coordinates",
      faults: [],
    });
    return;
  }
  const wrong = findFault(node, request);
  if (wrong !== undefined) {
    refuse(turn, from, request, { reason: "invalid", ...wrong });
    return;
  }
  const { signature } = endorser.signed.byDigest.get(bundle.digest) ?? {};
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
    checking.askers.set(from, key);
    return;
  }
  if (isOccupied(endorser, from)) {
    refuse(turn, from, request, {
      reason: "busy",
      detail: `${limits.checking} bundles of yours are being checked`,
      faults: [],
    });
    return;
  }
  if (hasTooMuchSigned(endorser.signed, from, bundle)) {
    refuse(turn, from, request, {
      reason: "busy",
      detail: "too many signed bundles of this coordinator can still happen",
      faults: [],
    });
    return;
  }
  const { validUntil } = bundle;
  const askers = new Map([[from, key]]);
  endorser.checking.set(bundle.digest, { from, askers, validUntil, bundle });
  turn.effects.push({
    type: "Endorse",
    coordinator: from,
    bundle,
    view: request.view,
  });
}

/** Whether as many bundles of a node are being checked as one node may have checked at a time. */
function isOccupied({ checking }: Endorser, from: NodeName): boolean {
  if (checking.size < limits.checking) return false;
  let count = 0;
  for (const check of checking.values()) if (check.from === from) count += 1;
  return count >= limits.checking;
}

/** Whether that node may coordinate, by this node's own view alone. protocol.md#5 */
function isJustified(
  node: Sequencer,
  coordinator: NodeName,
  theirHeight: number,
): boolean {
  const { mode, policy, self, committeeSince = 0 } = node.config;
  // It has not seen the change of the committee, and what it asks for can no longer be executed.
  if (theirHeight < committeeSince) return false;
  if (mode === "local") return true;
  const order = candidates(node);
  if (!order.includes(coordinator)) return false;
  if (order[0] === coordinator || coordinator === self) return true;
  if (
    policy === "rotating" &&
    rangeOf(node, theirHeight) !== rangeOf(node, node.height)
  )
    return false;
  const isActive =
    node.coordinator.state === "Active" && !isSuspected(node, self);
  const other = isActive ? self : liveOther(node);
  return (
    other === undefined ||
    other === coordinator ||
    !outranks(node, other, coordinator)
  );
}

function findFault(
  { endorser, config, height }: Sequencer,
  { bundle, coordinator }: EndorsementRequest,
): Pick<MessageOf<"Refusal">, "detail" | "faults"> | undefined {
  const { steps, validUntil, digest } = bundle;
  if (steps.length === 0 || steps.length > limits.bundle)
    return { detail: "the bundle's size", faults: [] };
  // The ledger takes a bundle without a last block at any time.
  if (validUntil < height || validUntil === 0) return expired;
  // Whatever is signed can happen until then, whoever collects the signatures.
  if (validUntil > height + VALIDITIES_MAX * config.validForBlocks)
    return { detail: "the bundle is valid for too long", faults: [] };
  const short = steps.filter((step) => step.validUntil < validUntil);
  if (short.length > 0) return faultOf(short, "the bundle outlives the step");
  // What is looked at, or was, is not hashed again: all that can come of it is a signature of the same digest.
  const isKnown =
    endorser.checking.has(digest) || endorser.signed.byDigest.has(digest);
  if (!isKnown && digestOf(config.hashing, bundle) !== digest)
    return { detail: "the digest", faults: [] };
  const claimed = steps.filter(
    ({ intentId: id, sender, laneSalt, payload }) =>
      !config.hashing.isOwnIntent({ id, sender, laneSalt, payload }),
  );
  if (claimed.length > 0) return faultOf(claimed, "the id of another node");
  const done = steps.filter(({ intentId }) =>
    isRemembered(endorser.fulfilled, intentId),
  );
  if (done.length > 0) return faultOf(done, "the intent is fulfilled");
  const foreign =
    config.mode === "local"
      ? steps.filter(({ sender }) => sender !== coordinator)
      : [];
  return foreign.length === 0
    ? undefined
    : faultOf(foreign, "somebody else's intent");
}

/** All of these steps have the same fault. */
function faultOf(
  steps: readonly Step[],
  detail: string,
): Pick<MessageOf<"Refusal">, "detail" | "faults"> {
  return {
    detail,
    faults: steps.map(({ intentId }) => ({ intentId, detail })),
  };
}

function refuse(
  turn: Turn,
  to: NodeName,
  { key, bundle }: EndorsementRequest,
  why: Pick<MessageOf<"Refusal">, "reason" | "detail" | "faults">,
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
  const { from, bundle, validUntil, askers } = checking;
  if (outcome.type === "endorsed") {
    const record = {
      kind: "endorsed",
      digest,
      coordinator: from,
      validUntil,
      length: lengthOfBundle(bundle),
      signature: outcome.signature,
      bundle,
    } as const;
    keepSigned(endorser.signed, record);
    turn.effects.push({ type: "Save", record });
  }
  for (const [asker, key] of askers) {
    if (outcome.type === "endorsed") {
      const { signature } = outcome;
      send(turn, asker, { type: "Endorsement", key, digest, signature });
    } else {
      const { detail, faults } = outcome;
      send(turn, asker, {
        type: "Refusal",
        key,
        digest,
        height,
        reason: "invalid",
        detail,
        faults,
      });
    }
  }
}

/** Coordinators give up in the end, and a block that was spoken of may never come: nothing waits for it for long. */
export function forgetDeferred({ node }: Turn): void {
  const { endorser, tick, config } = node;
  if (tick - endorser.deferredTick > config.stateTicks)
    endorser.deferred.clear();
}

/** New blocks: what waited for them is looked at again, and what they fulfilled is remembered. */
export function endorserSeesBlock(
  turn: Turn,
  facts: readonly LedgerFact[],
): void {
  const { endorser, height } = turn.node;
  for (const { intents } of facts)
    for (const id of intents) remember(endorser.fulfilled, id, true);
  signedHappened(
    endorser.signed,
    facts.map(({ digest }) => digest),
  );
  expireSigned(endorser.signed, height);
  // A domain that never answers must not fill the memory.
  for (const [digest, { validUntil }] of endorser.checking)
    if (validUntil < height) endorser.checking.delete(digest);
  for (const { from, request } of release(endorser.deferred, height))
    receiveEndorsementRequest(turn, from, request);
}
