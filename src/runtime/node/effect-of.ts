import type { Digest, GroupAddress, IntentId } from "../../protocol/ids.ts";
import type { SeenState } from "../domains/domain.ts";
import type { IntentEffect } from "../service.ts";
import { readState } from "../states/content.ts";
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
  const fulfilment = store.blocks.fulfilment(group, id);
  if (fulfilment === undefined) return undefined;
  const { spent, created } = store.states.statesOf(
    group,
    fulfilment.transitionHash,
  );
  return {
    spent: spent.flatMap((state) => seen(state)),
    read: [],
    confirmed: created.flatMap((state) =>
      readOrigin(state) === id ? seen(state) : [],
    ),
    infos: store.infos
      .find(group, {
        intentId: id,
        digest: digestOf(fulfilment.transitionHash),
      })
      .flatMap((state) => seen(state)),
  };
}

function seen(state: Partial<StateContent>): SeenState[] {
  const read = readWhole(state);
  return read === undefined
    ? []
    : [{ id: read.id, schema: read.schema, data: read.data }];
}

function readOrigin(state: Partial<StateContent>): IntentId | undefined {
  return readWhole(state)?.intentId;
}

function readWhole({
  id,
  content,
}: Partial<StateContent>): ReturnType<typeof readState> {
  return id === undefined || content === undefined
    ? undefined
    : readState({ id, content });
}
