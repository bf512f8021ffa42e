import type { StateId as LedgerId } from "../ledger/index.ts";
import type { Digest, GroupAddress, IntentId } from "../protocol/ids.ts";
import type { State } from "../protocol/transition.ts";
import type { SeenState } from "../domains/domain.ts";
import type { IntentEffect } from "./service.ts";
import { readState } from "../domains/states/content.ts";
import type { StateContent } from "../store/contents.ts";
import type { Store } from "../store/store.ts";

/**
 * What the transition of an intent did, as far as this node may see it. A transition with several intents has their net
 * effect: what an intent created is told by the states' own content, what it spent is only known for the whole.
 */
export function effectOf(
  store: Store,
  group: GroupAddress,
  id: IntentId,
  /** The digest of a bundle whose transition has this hash. */
  digestOf: (transitionHash: string) => Digest,
): IntentEffect | undefined {
  const transition = store.blocks.transitionOf(group, id);
  if (transition === undefined) return undefined;
  const contentsOf = (ids: readonly LedgerId[]): readonly StateContent[] =>
    ids.flatMap((ledgerId) => store.states.byLedgerId(group, ledgerId) ?? []);
  return {
    spent: contentsOf(transition.inputs).flatMap(seen),
    read: [],
    confirmed: contentsOf(transition.outputs).flatMap((state) =>
      readState(state)?.intentId === id ? seen(state) : [],
    ),
    infos: store.infos
      .find(group, {
        intentId: id,
        digest: digestOf(transition.transitionHash),
      })
      .flatMap(seen),
  };
}

function seen(state: State): SeenState[] {
  const read = readState(state);
  return read === undefined
    ? []
    : [{ id: read.id, schema: read.schema, data: read.data }];
}
