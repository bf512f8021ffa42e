import type { IntentId, StateId } from "../protocol/ids.ts";
import { digestOf } from "../protocol/outline.ts";
import type { State } from "../protocol/transition.ts";
import type { SeenState } from "../domains/domain.ts";
import type { PreparedCall } from "./service.ts";
import { readState } from "../domains/states/content.ts";
import type { Store } from "../store/store.ts";
import type { GroupRunner } from "./group-runner.ts";
import { submissionOf } from "./submission.ts";

/** What was prepared for the user of an intent, from the disk. */
export function preparedOf(
  store: Store,
  runner: GroupRunner,
  id: IntentId,
): PreparedCall | undefined {
  const { address } = runner.stored;
  const prepared = store.records.intent(address, id)?.prepared;
  const step = prepared?.bundle.steps[0];
  if (prepared === undefined || step === undefined) return undefined;
  // An earlier committee endorsed it, and the ledger refuses it for as long as there is another one.
  const { hashing } = runner.sequencer.config;
  if (digestOf(hashing, prepared.bundle) !== prepared.bundle.digest)
    return undefined;
  const { to, data, validUntil } = submissionOf(runner, prepared);
  const known = (ids: readonly StateId[]): SeenState[] =>
    ids.flatMap((stateId) =>
      seen(store.states.content(address, stateId) ?? []),
    );
  return {
    to,
    data,
    validUntil,
    effect: {
      spent: known(step.inputs),
      read: known(step.reads),
      confirmed: step.outputs.flatMap(seen),
      infos: step.infos.flatMap(seen),
    },
  };
}

function seen(state: State | readonly never[]): SeenState[] {
  const read = "id" in state ? readState(state) : undefined;
  return read === undefined
    ? []
    : [{ id: read.id, schema: read.schema, data: read.data }];
}
