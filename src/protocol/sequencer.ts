import type { SequencerConfig } from "./config.ts";
import { requestAssemblies } from "./coordinator/assembly.ts";
import { askPermission } from "./coordinator/dispatch.ts";
import { formBundles, formPreparations } from "./coordinator/endorsements.ts";
import { createCoordinator } from "./coordinator/model.ts";
import type { Effect } from "./effects.ts";
import { createEndorser } from "./endorser.ts";
import type { Event } from "./events.ts";
import { rankingIn } from "./committee.ts";
import type { IntentId } from "./ids.ts";
import type { Tracer } from "./machine.ts";
import { receive, receiveMessage } from "./receive.ts";
import type { RestoredRecord } from "./records.ts";
import { restore } from "./restore.ts";
import { dropAssembly } from "./sender/assembly.ts";
import { delegate } from "./sender/delegation.ts";
import { failDependants } from "./sender/dependencies.ts";
import { createSender } from "./sender/model.ts";
import { tellSender } from "./tell.ts";
import type { Sequencer, Turn } from "./turn.ts";

/** What a node knows when it starts. */
export interface Restored {
  readonly height: number;
  readonly records: readonly RestoredRecord[];
  /** Dependencies of open intents that the ledger has. */
  readonly fulfilled: readonly IntentId[];
}

/** Starts one node's part in one group, from what is on its disk. */
export function createSequencer(
  config: SequencerConfig,
  { height, records, fulfilled }: Restored,
  trace?: Tracer<{ readonly state: string }>,
): { readonly sequencer: Sequencer; readonly effects: Effect[] } {
  const sequencer: Sequencer = {
    config,
    ranking: rankingIn(config),
    tick: 0,
    height,
    sender: createSender(),
    coordinator: createCoordinator(),
    endorser: createEndorser(),
    beats: new Map(),
    silent: new Map(),
    suspects: new Map(),
    suspicions: new Map(),
    requests: 0,
    ignored: new Map(),
  };
  const turn: Turn = { node: sequencer, effects: [], inbox: [], trace };
  restore(turn, records, fulfilled);
  finishTurn(turn);
  return { sequencer, effects: turn.effects };
}

/** Gives an event to the node. Returns what it wants done. */
export function handle(
  sequencer: Sequencer,
  event: Event,
  trace?: Tracer<{ readonly state: string }>,
): Effect[] {
  const turn: Turn = { node: sequencer, effects: [], inbox: [], trace };
  receive(turn, event);
  finishTurn(turn);
  return turn.effects;
}

/** Messages to itself, then whatever became possible. */
function finishTurn(turn: Turn): void {
  const { node, inbox, effects } = turn;
  let settled = 0;
  for (;;) {
    for (
      let message = inbox.shift();
      message !== undefined;
      message = inbox.shift()
    ) {
      receiveMessage(turn, node.config.self, message);
    }
    for (; settled < effects.length; settled += 1) {
      const effect = effects[settled];
      if (effect?.type !== "Settled") continue;
      const { type, id } = effect.receipt;
      if (type === "Reverted") failDependants(turn, id);
      // However it ended: it may have been the last one.
      tellSender(turn, { type: "TransactionConfirmed" });
    }
    dropAssembly(turn);
    delegate(turn);
    work(turn);
    if (inbox.length === 0) return;
  }
}

function work(turn: Turn): void {
  const { state } = turn.node.coordinator;
  if (state === "Active" || state === "Prepared") {
    requestAssemblies(turn);
    formBundles(turn);
  }
  if (state === "Active") {
    formPreparations(turn);
    askPermission(turn);
  }
}

export { explain } from "./explain.ts";
export { isAtRest } from "./rest.ts";
export { proofFor } from "./sender/fulfilment.ts";
export { findRefusal } from "./sender/submission.ts";
export type { Sequencer } from "./turn.ts";
