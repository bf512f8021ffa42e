import type { Event } from "../../src/protocol/events.ts";
import type { IntentId } from "../../src/protocol/ids.ts";
import type {
  CoordinatorClaim,
  MessageOf,
} from "../../src/protocol/messages.ts";
import type { Bundle, Intent } from "../../src/protocol/transition.ts";
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
