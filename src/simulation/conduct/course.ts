import type {
  Coordinator,
  CoordinatorState,
} from "../../protocol/coordinator/model.ts";
import type { Effect } from "../../protocol/effects.ts";
import type {
  Digest,
  IntentId,
  NodeName,
  RequestKey,
  StateId,
  StepHash,
} from "../../protocol/ids.ts";
import type { Message } from "../../protocol/messages.ts";
import type { IntentRecord } from "../../protocol/records.ts";
import type { Sequencer } from "../../protocol/sequencer.ts";
import { Violation } from "../violation.ts";
import type { SimulatedNode } from "../node.ts";
import { type Attempts, startAttempts } from "./attempts.ts";
import { type Services, startServices } from "./fairness.ts";
import { type Hearsay, nothingHeard } from "./hearsay.ts";

/** A handover that a node has got, and that it has to wait for. */
export interface Awaited {
  readonly from: NodeName;
  readonly tick: number;
  readonly flush: readonly IntentId[];
  /** The last block in which they can be. */
  readonly flushUntil: number;
}

/** What a predecessor dispatched, as a successor sees it. */
export interface Flush {
  readonly ids: ReadonlySet<IntentId>;
  readonly digests: ReadonlySet<Digest>;
  readonly imported: ReadonlySet<StateId>;
}

/** What is known of one node since it started. */
export interface Course {
  /** As it was after its last turn. */
  coordinatorState: CoordinatorState;
  predecessor: NodeName | undefined;
  assembly: RequestKey | undefined;
  /** To whom it delegated an intent last. */
  readonly delegates: Map<IntentId, NodeName>;
  /** The hash of what it assembled last for an intent, and the last block in which that may happen. */
  readonly hashes: Map<IntentId, StepHash>;
  readonly deadlines: Map<IntentId, number>;
  /** Intents of an assembly that revert on the ledger alone, as the node saw it when its domain assembled. */
  readonly hopeless: Map<RequestKey, ReadonlySet<IntentId>>;
  readonly attempts: Attempts;
  /** The tick in which a message was sent last, by its key and receiver. */
  readonly sentTicks: Map<string, number>;
  awaited: Awaited | undefined;
  /** To whom it delegates, as it was after its last turn. */
  delegate: NodeName | undefined;
  /** Which intent creates a state, for steps that it has coordinated. */
  readonly producers: Map<StateId, IntentId>;
  /** Blocks were taken back, and with them perhaps what is built on. */
  isShaken: boolean;
  /** The tick in which a coordinator was heard last, or had no reason yet to be heard. */
  readonly heardTicks: Map<NodeName, number>;
  /** The last delegation, unless its receiver has said anything since, and how often it was sent. */
  readonly unanswered: Map<
    NodeName,
    { key: RequestKey; sends: number; tick: number }
  >;
  /** How often an intent was tried again, and the tick in which that was decided. */
  readonly retries: Map<IntentId, { count: number; tick: number }>;
  /** The tick in which an intent was postponed last, unless the ledger has moved on since. */
  readonly postponed: Map<IntentId, number>;
  /** The last tick in which a flush or an end of it had a reason to go on. */
  flushTick: number;
  readonly services: Services;
  /** Intents that it has seen happen since it started. */
  readonly fulfilled: Set<IntentId>;
  /** The newest heartbeat of every node, and the tick in which it came. */
  readonly beats: Map<
    NodeName,
    { readonly boot: number; readonly beat: number; readonly tick: number }
  >;
  /** Bundles that a coordinator asked about, with the intents: without those that it asked about in another one since. */
  readonly asked: Map<NodeName, Map<Digest, readonly IntentId[]>>;
  /** Preparations that it has handed back. */
  readonly handedBack: Set<RequestKey>;
  /** What it waits for after a handover, and builds on meanwhile, as it was after its last turn. */
  flush: Flush | undefined;
  flushUntil: number;
  /** Whether the turn under way brings steps that it has asked for. */
  isAwaitingSteps: boolean;
  /** What the turn under way must leave alone. */
  hearsay: Hearsay;
}

/** It knows nothing but what is on its disk. */
export function startCourse(coordinator: Coordinator): Course {
  return {
    coordinatorState: coordinator.state,
    predecessor: undefined,
    assembly: undefined,
    delegates: new Map(),
    hashes: new Map(),
    deadlines: new Map(),
    hopeless: new Map(),
    attempts: startAttempts(),
    sentTicks: new Map(),
    awaited: undefined,
    delegate: undefined,
    producers: new Map(),
    isShaken: false,
    heardTicks: new Map(),
    unanswered: new Map(),
    retries: new Map(),
    postponed: new Map(),
    flushTick: 0,
    services: startServices(coordinator),
    fulfilled: new Set(),
    beats: new Map(),
    asked: new Map(),
    handedBack: new Set(),
    flush: undefined,
    flushUntil: 0,
    isAwaitingSteps: false,
    hearsay: nothingHeard,
  };
}

/** Takes note of what it sends. */
export function note(
  { delegates, hashes, deadlines, sentTicks }: Course,
  to: NodeName,
  message: Message,
  { tick, config }: Sequencer,
): void {
  if (message.type === "DelegationRequest")
    for (const { id } of message.intents) delegates.set(id, to);
  else if (message.type === "AssembleResponse") {
    for (const outcome of message.outcomes)
      if (outcome.type === "assembled") {
        hashes.set(outcome.id, config.hashing.stepHash(outcome.step));
        deadlines.set(outcome.id, outcome.step.validUntil);
      }
  } else if (message.type === "Dispatched")
    sentTicks.set(`${message.digest}|${to}`, tick);
  else if (message.type === "Handover")
    sentTicks.set(`${message.key}|${to}`, tick);
}

/** Takes note of what an assembly postponed, when it is told for the first time. */
export function notePostponed(
  { postponed }: Course,
  effects: readonly Effect[],
  tick: number,
): void {
  for (const effect of effects)
    if (effect.type === "Send" && effect.message.type === "AssembleResponse")
      for (const { type, id } of effect.message.outcomes)
        if (type === "postponed") postponed.set(id, tick);
}

/** Takes note of a failure after which it tries again. What is on its disk failed before, perhaps before it started. */
export function noteRetry(
  { retries }: Course,
  { disk }: SimulatedNode,
  { intent, retries: count }: IntentRecord,
  tick: number,
): void {
  const saved = disk.records.get(`intent:${intent.id}`);
  const before = saved?.kind === "intent" ? saved.retries : 0;
  if (count > Math.max(before, retries.get(intent.id)?.count ?? 0))
    retries.set(intent.id, { count, tick });
}

/** What it sends of one type. */
export function sent(
  effects: readonly Effect[],
  type: Message["type"],
): Effect[] {
  return effects.filter(
    (effect) => effect.type === "Send" && effect.message.type === type,
  );
}

/** A property that a node does not keep. */
export function violation(
  property: string,
  { name }: SimulatedNode,
  what: string,
): Violation {
  return new Violation(property, `${name} ${what}`);
}
