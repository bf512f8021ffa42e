import type { Effect } from "../protocol/effects.ts";
import { type DispatchRecord, recordKey } from "../protocol/records.ts";
import type { IntentRecord, SavedRecord } from "../protocol/records.ts";
import type { GroupRunner } from "./group-runner.ts";
import type { Draft } from "./loop.ts";
import type { NodeEffect } from "./node-effects.ts";
import type { NodeWrite } from "./node-writes.ts";
import type { Settling } from "./settling.ts";

/** What a batch of a node leads to. */
export type NodeDraft = Draft<NodeWrite, NodeEffect>;

/** Adds what the core of a group wants to a batch. */
export function addEffects(
  draft: NodeDraft,
  runner: GroupRunner,
  effects: readonly Effect[],
): void {
  for (const effect of effects) addEffect(draft, runner, effect);
  addChangeOfCoordinator(draft, runner);
}

function addEffect(
  draft: NodeDraft,
  runner: GroupRunner,
  effect: Effect,
): void {
  const { address: group } = runner.stored;
  switch (effect.type) {
    case "Save":
      addRecord(draft, runner, effect.record);
      return;
    case "Erase": {
      const { key } = effect;
      draft.record(`${group}:${key}`, { type: "erase-record", group, key });
      return;
    }
    case "Send":
    case "Assemble":
    case "Endorse":
    case "ShowStep":
      draft.afterCommit({ type: "core", runner, effect });
      return;
    case "Submit":
      addDispatch(draft, runner, effect.dispatch);
      return;
    case "Accepted": {
      const fact = { type: "Accepted", id: effect.id } as const;
      draft.afterCommit({ type: "tell-fact", fact });
      return;
    }
    case "Refused":
      throw new Error(`${effect.id} is refused after all: ${effect.reason}.`);
    case "Settled": {
      const { receipt } = effect;
      const settling: Settling = { group, receipt, settlement: undefined };
      draft.write({ type: "settle", settling });
      draft.afterCommit({ type: "tell-settled", settling });
      return;
    }
    case "PreparedForUser": {
      const fact = { type: "Prepared", group, id: effect.id } as const;
      draft.afterCommit({ type: "tell-fact", fact });
      return;
    }
  }
}

function addRecord(
  draft: NodeDraft,
  runner: GroupRunner,
  record: SavedRecord,
): void {
  const { address: group } = runner.stored;
  const key = `${group}:${recordKey(record)}`;
  draft.record(key, { type: "save-record", group, record });
  if (record.kind === "endorsed")
    draft.afterCommit({ type: "bundle-kept", runner, digest: record.digest });
  if (record.kind !== "intent" || record.receipt !== undefined) return;
  addStep(draft, runner, record);
  if (!record.isDispatched) return;
  const { id } = record.intent;
  const fact = { type: "IntentDispatched", group, id } as const;
  draft.afterCommit({ type: "tell-fact", fact });
}

/** The own step that a permission is for. */
function addStep(
  draft: NodeDraft,
  { stored, sequencer }: GroupRunner,
  { intent, permission }: IntentRecord,
): void {
  if (permission === undefined) return;
  const { step } = sequencer.sender.transactions.get(intent.id) ?? {};
  if (step === undefined) return;
  const { self, committee } = sequencer.config;
  draft.write({
    type: "save-step",
    group: stored.address,
    permission,
    step,
    isEndorser: committee.includes(self),
  });
}

/** The dispatch is saved in the same commit in which its base-ledger transaction gets its turn. */
function addDispatch(
  draft: NodeDraft,
  runner: GroupRunner,
  dispatch: DispatchRecord,
): void {
  const { bundle } = dispatch;
  const { digest } = bundle;
  runner.seen.add(runner.sequencer.config.self, bundle);
  draft.write({ type: "reserve-dispatch", runner, dispatch });
  draft.afterCommit({ type: "submit", id: digest });
  const { address: group } = runner.stored;
  const intents = bundle.steps.length;
  const fact = { type: "Dispatched", group, digest, intents } as const;
  draft.afterCommit({ type: "tell-fact", fact });
}

/** However often the coordinator changed its state, it is told once. */
function addChangeOfCoordinator(draft: NodeDraft, runner: GroupRunner): void {
  const { state: to } = runner.sequencer.coordinator;
  const { coordinatorTold: from, takeover } = runner;
  runner.takeover = undefined;
  if (from === to) return;
  runner.coordinatorTold = to;
  const { address: group } = runner.stored;
  const type = "CoordinatorChanged";
  draft.afterCommit({
    type: "tell-fact",
    fact: { type, group, from, to, takeover },
  });
}
