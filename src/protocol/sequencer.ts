import type { SequencerConfig } from "./config.ts";
import { createCoordinator } from "./coordinator/model.ts";
import type { Effect } from "./effects.ts";
import { createEndorser } from "./endorser.ts";
import { coordinatorFacts, factBits, senderFacts } from "./facts.ts";
import type { Event } from "./events.ts";
import { rankingIn } from "./committee.ts";
import type { IntentId } from "./ids.ts";
import { invariant } from "./invariant.ts";
import type { Tracer } from "./machine.ts";
import { receive, receiveMessage } from "./receive.ts";
import { contradictionsIn } from "./memory.ts";
import type { RestoredRecord } from "./records.ts";
import { restore } from "./restore.ts";
import { createSender } from "./sender/model.ts";
import { tables } from "./tables.ts";
import { tellCoordinator, tellSender } from "./tell.ts";
import { createTurn, type Sequencer, type Turn } from "./turn.ts";

/** What a node knows when it starts. */
export interface Restored {
  readonly height: number;
  readonly records: readonly RestoredRecord[];
  /** Dependencies of open intents that the ledger has. */
  readonly fulfilled: readonly IntentId[];
  /** The node is to be stopped soon. */
  readonly isDraining?: boolean;
}

/** Starts one node's part in one group, from what is on its disk. */
export function createSequencer(
  config: SequencerConfig,
  { height, records, fulfilled, isDraining = false }: Restored,
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
    leaving: new Map(
      isDraining ? [[config.self, { sinceTick: 0, untilTick: Infinity }]] : [],
    ),
    requests: 0,
    unchecked: 0,
    ignored: new Map(),
  };
  const turn = createTurn(sequencer, { trace, tables });
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
  const turn = createTurn(sequencer, { trace, tables });
  receive(turn, event);
  finishTurn(turn);
  if (sequencer.config.isChecked === true) checkMemory(sequencer);
  return turn.effects;
}

/** Intents for each turn between two checks: after every turn if there are few, and seldom enough if there are many. */
const INTENTS_PER_TURN = 32;

/** Throws if the node's memory contradicts itself. */
function checkMemory(sequencer: Sequencer): void {
  const { sender, coordinator } = sequencer;
  const intents = sender.transactions.size + coordinator.transactions.size;
  sequencer.unchecked += 1;
  if (sequencer.unchecked * INTENTS_PER_TURN < intents) return;
  sequencer.unchecked = 0;
  for (const { property, what } of contradictionsIn(sequencer))
    invariant(false, `${property}: ${sequencer.config.self} ${what}`);
}

/** Messages to itself, then whatever became possible. */
function finishTurn(turn: Turn): void {
  const { node, inbox, failed } = turn;
  for (;;) {
    for (
      let message = inbox.shift();
      message !== undefined;
      message = inbox.shift()
    ) {
      receiveMessage(turn, node.config.self, message);
    }
    while (failed.length > 0)
      tellSender(turn, {
        type: "TransactionsFailed",
        failed: failed.splice(0),
      });
    tellFacts(turn);
    if (inbox.length + failed.length + turn.facts === 0) return;
  }
}

/** Each machine is told what it acts on. What is noted meanwhile is told next. */
function tellFacts(turn: Turn): void {
  const { facts } = turn;
  if (facts === 0) return;
  turn.facts = 0;
  for (const fact of senderFacts)
    if ((facts & factBits[fact.type]) !== 0) tellSender(turn, fact);
  for (const fact of coordinatorFacts)
    if ((facts & factBits[fact.type]) !== 0) tellCoordinator(turn, fact);
}

export { explain } from "./explain.ts";
export { isAtRest } from "./rest.ts";
export { proofFor } from "./sender/fulfilment.ts";
export { findRefusal } from "./sender/submission.ts";
export type { Sequencer } from "./turn.ts";
