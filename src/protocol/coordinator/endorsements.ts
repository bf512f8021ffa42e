import type { SequencerConfig } from "../config.ts";
import type { IntentId, NodeName, StateId } from "../ids.ts";
import { limits } from "../limits.ts";
import type { MessageOf } from "../messages.ts";
import { lengthOf, statesOf } from "../size.ts";
import type { State, Step } from "../transition.ts";
import {
  ignore,
  newKey,
  nextRequest,
  raise,
  send,
  type Sequencer,
  type Turn,
} from "../turn.ts";
import { findBundle, lastsForBundle, tellAll } from "./bundles.ts";
import { isSubset } from "./indexes.ts";
import type { BundleWork, Coordinator } from "./model.ts";
import { isOffender } from "./offences.ts";
import { handBack } from "./preparation.ts";
import { seal } from "./places.ts";
import { tellTransaction } from "./tell.ts";

/** How often every member may answer while a bundle waits. Each answer has up to `limits.assembly` steps. */
const GATHERED_TURNS = 4;

/** Bundles whatever is assembled, as long as few bundles are on their way. */
export function formBundles(
  coordinator: Coordinator,
  _event: unknown,
  turn: Turn,
): void {
  const { config } = turn.node;
  // Where bundles are small by choice, as many are on their way as hold what a large one would. They go in packs.
  const bundlesMax = Math.max(
    limits.bundles,
    Math.floor(limits.bundle / config.bundleMax),
  );
  if (coordinator.bundles.length > bundlesMax / 2) return;
  while (
    coordinator.assembled.size > 0 &&
    coordinator.bundles.length < bundlesMax
  ) {
    if (isGathering(coordinator, config)) return;
    coordinator.gathered = 0;
    if (renewOldSteps(turn)) continue;
    const steps = takeAssembled(turn.node);
    if (steps.length === 0) return;
    const work = openBundle(turn, steps, { isForUser: false });
    if (work === undefined) continue;
    coordinator.bundles.push(work);
    askEndorsers(turn, work);
  }
}

/**
 * A bundle costs much more than a step. So one that is not full waits for what is being assembled: for some turns of all
 * members, and for nobody who has to be asked again.
 */
function isGathering(
  { assembled, assemblies, gathered }: Coordinator,
  { bundleMax, members }: SequencerConfig,
): boolean {
  if (
    assembled.size >= bundleMax ||
    gathered >= GATHERED_TURNS * members.length
  )
    return false;
  for (const { tries } of assemblies.values()) if (tries === 0) return true;
  return false;
}

/** Has every step that is only to be prepared endorsed by itself, once all that it builds on is on the ledger. */
export function formPreparations(
  { toPrepare, preparations, transactions }: Coordinator,
  _event: unknown,
  turn: Turn,
): void {
  for (const id of toPrepare) {
    if (preparations.length >= limits.preparations) return;
    const transaction = transactions.get(id);
    const { step, builtOn, follows } = transaction ?? {};
    if (isSome(builtOn) || isSome(follows)) continue;
    toPrepare.delete(id);
    if (step === undefined || transaction === undefined) continue;
    if (!lastsForBundle(turn, step)) {
      tellTransaction(turn, transaction, { type: "DependencyReverted" });
      continue;
    }
    const work = openBundle(turn, [step], { isForUser: true });
    if (work === undefined) continue;
    preparations.push(work);
    askEndorsers(turn, work);
  }
}

/** Steps that cannot happen for much longer are assembled again. Tells whether there were any. */
function renewOldSteps(turn: Turn): boolean {
  const { assembled, transactions } = turn.node.coordinator;
  const old = [...assembled].flatMap((id) => {
    const transaction = transactions.get(id);
    const { step } = transaction ?? {};
    return step === undefined || lastsForBundle(turn, step)
      ? []
      : (transaction ?? []);
  });
  for (const transaction of old)
    tellTransaction(turn, transaction, { type: "DependencyReverted" });
  return old.length > 0;
}

function openBundle(
  turn: Turn,
  steps: readonly Step[],
  { isForUser }: { readonly isForUser: boolean },
): BundleWork | undefined {
  const { coordinator, config, tick } = turn.node;
  const bundle = seal(turn, steps);
  if (bundle === undefined) return undefined;
  const key = newKey(turn);
  return {
    bundle,
    ids: new Set(steps.map(({ intentId }) => intentId)),
    key,
    view: { created: statesFromOutside(coordinator, steps), spent: [] },
    endorsements: new Map(),
    refusals: new Map(),
    unpermitted: new Set(steps.map(({ sender }) => sender)),
    isForUser,
    isEndorsed: false,
    isAsking: false,
    tries: 0,
    dueTick: nextRequest(turn, 0, key),
    deadlineTick: tick + config.stateTicks,
  };
}

function isSome(ids: ReadonlySet<IntentId> | undefined): boolean {
  return ids !== undefined && ids.size > 0;
}

/**
 * The next steps for a bundle. Those of a sender that spoiled one are in none with those of others: they go by themselves when
 * nothing else is waiting.
 */
function takeAssembled(node: Sequencer): Step[] {
  const { assembled, transactions, offences } = node.coordinator;
  if (offences.size === 0) return takeSteps(node, () => true);
  const steps = takeSteps(node, (sender) => !isOffender(node, sender));
  if (steps.length > 0) return steps;
  const left = new Set(
    [...assembled].map((id) => transactions.get(id)?.sender),
  );
  for (const offender of left) {
    const own = takeSteps(node, (sender) => sender === offender);
    if (own.length > 0) return own;
  }
  return [];
}

/**
 * The steps that wait longest, as many as fit. A bundle happens as a whole, so that a step may be in it together with
 * what it follows; otherwise it is held back until that is confirmed, and with it what has to come after it.
 */
function takeSteps(
  { coordinator: { assembled, transactions }, config }: Sequencer,
  mayShare: (sender: NodeName) => boolean,
): Step[] {
  let stepsMax = Math.min(config.bundleMax, limits.bundle);
  const steps: Step[] = [];
  const taken = new Set<IntentId>();
  /** What steps that are held back create, and what they read: nobody uses the one, or spends the other, before them. */
  const created = new Set<StateId>();
  const read = new Set<StateId>();
  let length = 0;
  let states = 0;
  for (const id of assembled) {
    if (steps.length >= stepsMax || isAlone(steps[0])) break;
    const transaction = transactions.get(id);
    const { step, follows, companyMax = stepsMax } = transaction ?? {};
    if (
      step !== undefined &&
      (!mayShare(step.sender) ||
        (follows !== undefined && !isSubset(follows, taken)) ||
        (created.size + read.size > 0 && mustWait(step, created, read)))
    ) {
      for (const output of step.outputs) created.add(output.id);
      for (const one of step.reads) read.add(one);
      continue;
    }
    if (steps.length >= companyMax) break;
    if (steps.length > 0 && isAlone(step)) break;
    if (step !== undefined) {
      length += lengthOf(step);
      states += statesOf(step);
    }
    const isFull = length > limits.bundleLength || states > limits.bundleStates;
    if (steps.length > 0 && isFull) break;
    assembled.delete(id);
    taken.add(id);
    if (step === undefined) continue;
    steps.push(step);
    stepsMax = Math.min(stepsMax, companyMax);
  }
  return steps;
}

/** A call of the ledger may fail, and everything in the same bundle with it. */
function isAlone(step: Step | undefined): boolean {
  return step !== undefined && step.calls.length > 0;
}

function mustWait(
  { inputs, reads }: Step,
  created: ReadonlySet<StateId>,
  read: ReadonlySet<StateId>,
): boolean {
  return (
    inputs.some((id) => created.has(id) || read.has(id)) ||
    reads.some((id) => created.has(id))
  );
}

/** Contents of what the steps use and transactions in flight outside of the bundle create. */
function statesFromOutside(
  coordinator: Coordinator,
  steps: readonly Step[],
): State[] {
  const inside = new Set(steps.map(({ intentId }) => intentId));
  const used = new Set(
    steps.flatMap(({ inputs, reads }) => [...inputs, ...reads]),
  );
  const states: State[] = [];
  for (const id of inside) {
    for (const producerId of coordinator.transactions.get(id)?.builtOn ?? []) {
      if (inside.has(producerId)) continue;
      for (const state of coordinator.transactions.get(producerId)?.step
        ?.outputs ?? []) {
        if (used.has(state.id)) states.push(state);
      }
    }
  }
  for (const id of used) {
    const state = coordinator.imported.get(id);
    if (state !== undefined) states.push(state);
  }
  return states;
}

/** Asks the members that have not answered. */
export function askEndorsers(
  turn: Turn,
  { bundle, key, view, endorsements, refusals }: BundleWork,
): void {
  const { config, height } = turn.node;
  // The same for all of them, so that it is written down once.
  const request = {
    type: "EndorsementRequest",
    key,
    coordinator: config.self,
    height,
    bundle,
    view,
  } as const;
  for (const endorser of config.committee)
    if (!endorsements.has(endorser) && !refusals.has(endorser))
      send(turn, endorser, request);
}

/** An endorser signed. The runtime has checked the signature. */
export function receiveEndorsement(
  turn: Turn,
  from: NodeName,
  message: MessageOf<"Endorsement">,
): void {
  const { coordinator, config } = turn.node;
  const work = findBundle(coordinator, message.key, message.digest);
  if (work === undefined || !config.committee.includes(from)) {
    ignore(turn, "stale endorsement");
    return;
  }
  const { digest, signature } = message;
  work.refusals.delete(from);
  work.endorsements.set(from, { endorser: from, digest, signature });
  if (work.isEndorsed || work.endorsements.size < config.threshold) return;
  work.isEndorsed = true;
  raise(turn, "BundleEndorsed");
  work.tries = 0;
  work.deadlineTick = turn.node.tick + config.stateTicks;
  tellAll(turn, work, { type: "Endorsed" });
  if (work.isForUser) handBack(turn, work);
}
