import type { Event } from "../../src/protocol/events.ts";
import type { CommitteeConfig, Hashing } from "../../src/protocol/config.ts";
import {
  type IntentId,
  type NodeName,
  parseDigest,
} from "../../src/protocol/ids.ts";
import type {
  CoordinatorClaim,
  MessageOf,
} from "../../src/protocol/messages.ts";
import type { Bundle, Intent } from "../../src/protocol/transition.ts";
import { hashing } from "../../src/simulation/hashing.ts";
import { keyOf } from "./lone-node.ts";
import { bundleOf, emptyView } from "./simulated-group.ts";

/** A user's wish, and what the ledger has of what it depends on. */
export function submission(
  intent: Intent,
  fulfilled: readonly IntentId[] = [],
): Event {
  return { type: "IntentSubmitted", intent, fulfilled, reverted: [] };
}

/** A block with some intents in it, in a bundle of somebody else unless it says otherwise. */
export function block(
  height: number,
  intents: readonly IntentId[] = [],
  { digest }: Pick<Bundle, "digest"> = bundleOf([], height),
): Extract<Event, { readonly type: "BlockSeen" }> {
  const facts = intents.length === 0 ? [] : [{ intents, digest }];
  return { type: "BlockSeen", height, facts };
}

/** A block that changes the committee: without a word about them, all members endorse. */
export function committeeBlock(
  height: number,
  change: {
    readonly committee: readonly NodeName[];
    readonly members?: readonly NodeName[];
    readonly threshold?: number;
    readonly epoch?: number;
    /** What happens before it in the same block. */
    readonly bundle?: Bundle;
  },
): Extract<Event, { readonly type: "BlockSeen" }> {
  const { bundle, ...committee } = change;
  const intents = bundle?.steps.map(({ intentId }) => intentId);
  return {
    ...block(height, intents, bundle),
    committee: committeeOf(height, committee),
  };
}

/** What a node is told of a new committee. */
export function committeeOf(
  committeeSince: number,
  {
    committee,
    members = committee,
    threshold = 1,
    epoch = 1,
  }: {
    readonly committee: readonly NodeName[];
    readonly members?: readonly NodeName[];
    readonly threshold?: number;
    readonly epoch?: number;
  },
): CommitteeConfig {
  return {
    members,
    committee,
    committeeSince,
    threshold,
    pool: [],
    boot: 1 + epoch,
    hashing: hashingIn(epoch),
    earlierHashings: epoch === 0 ? [] : [hashingIn(epoch - 1)],
  };
}

/** As on the ledger, a digest is bound to an epoch. */
export function hashingIn(epoch: number): Hashing {
  if (epoch === 0) return hashing;
  return {
    ...hashing,
    bundleDigest: (outline) => {
      const digest = hashing.bundleDigest(outline);
      const bound = parseDigest(`${digest.slice(0, -2)}e${epoch}`);
      if (bound === undefined) throw new Error("no digest");
      return bound;
    },
  };
}

export function handover(
  flush: readonly IntentId[],
  flushUntil: number,
): MessageOf<"Handover"> {
  const key = keyOf("handover");
  return {
    type: "Handover",
    key,
    height: 0,
    context: emptyView,
    places: [],
    flush,
    digests: [],
    flushUntil,
  };
}

export function heartbeat(
  state: CoordinatorClaim,
  parts: Partial<MessageOf<"Heartbeat">> = {},
): MessageOf<"Heartbeat"> {
  return {
    type: "Heartbeat",
    state,
    boot: 1,
    beat: 0,
    height: 0,
    transactions: [],
    isComplete: true,
    ...parts,
  };
}

export function delegation(
  intent: Intent,
  height = 0,
): MessageOf<"DelegationRequest"> {
  const key = keyOf(`delegation:${intent.id.slice(2, 12)}`);
  return { type: "DelegationRequest", key, height, intents: [intent] };
}
