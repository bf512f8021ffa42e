import type { Effect } from "../../protocol/effects.ts";
import type { Event } from "../../protocol/events.ts";
import type { IntentId, NodeName, RequestKey } from "../../protocol/ids.ts";
import type { MessageOf } from "../../protocol/messages.ts";
import { isRemembered } from "../../protocol/recent.ts";
import type { Sequencer } from "../../protocol/sequencer.ts";
import type { Bundle } from "../../protocol/transition.ts";
import { candidates, graceTicks, isLate } from "../../protocol/turn.ts";
import type { SimulatedNode } from "../node.ts";
import { checkBlamed, noteAttempts } from "./attempts.ts";
import {
  checkAssembled,
  checkEndorsed,
  checkEntitled,
  checkFlushing,
  checkFooting,
  checkHandedBack,
  checkRepeated,
  type Deceit,
} from "./coordinator.ts";
import {
  type Awaited,
  type Course,
  note,
  notePostponed,
  noteRetry,
  sent,
  startCourse,
  violation,
} from "./course.ts";
import { checkKept, checkSigned } from "./endorser.ts";
import { checkFair } from "./fairness.ts";
import { checkHearsay, listen } from "./hearsay.ts";
import {
  checkEnded,
  checkHeard,
  checkPermitted,
  checkReleased,
  checkReopened,
  checkRetried,
  checkSkipped,
  checkSuperseded,
  checkWaitingAgain,
  noteAsked,
} from "./sender.ts";
import {
  checkBeat,
  checkClosing,
  checkContext,
  checkFlushPoint,
  checkSteppedBack,
  noteFlush,
} from "./succession.ts";

/** Records are compared with what was sent after every so many ticks of a node. */
const checkEveryTicks = 16;

/**
 * Watches what a node does in answer to what. Contradictions with what is durable are the business of the invariants;
 * here it is about manners: whom to trust, what to wait for, what to say again. Messages of a node to itself are not
 * seen.
 */
export class Conduct {
  readonly #courses = new Map<NodeName, Course>();
  readonly #nodes: () => readonly SimulatedNode[];
  readonly #deceit: Deceit;

  constructor(
    options: Deceit,
    ports: { readonly nodes: () => readonly SimulatedNode[] },
  ) {
    this.#deceit = options;
    this.#nodes = ports.nodes;
  }

  started(node: SimulatedNode, { coordinator }: Sequencer): void {
    this.#courses.set(node.name, startCourse(coordinator));
  }

  /** A node's domain assembles: these revert on the ledger alone, as the node sees it now. */
  judged(
    { name }: SimulatedNode,
    key: RequestKey,
    hopeless: ReadonlySet<IntentId>,
  ): void {
    this.#courses.get(name)?.hopeless.set(key, hopeless);
  }

  /** Before a turn. */
  turning(
    { name }: SimulatedNode,
    sequencer: Sequencer,
    { from, message }: Extract<Event, { readonly type: "MessageReceived" }>,
  ): void {
    const course = this.#courses.get(name);
    if (course === undefined) return;
    course.hearsay = listen(sequencer, from, message);
    course.isAwaitingSteps =
      message.type === "AssembleResponse" &&
      sequencer.coordinator.assemblies.has(message.key);
  }

  /** After a turn, before anything of it is durable. */
  turned(
    node: SimulatedNode,
    sequencer: Sequencer,
    event: Event,
    effects: readonly Effect[],
  ): void {
    const course = this.#courses.get(node.name);
    if (course === undefined) return;
    if (event.type === "MessageReceived") {
      course.unanswered.delete(event.from);
      // Whoever turns to another coordinator takes everything back.
      if (course.delegate === sequencer.sender.delegate)
        checkHearsay(node, course.hearsay);
      this.#answered(node, sequencer, event, effects, course);
    }
    if (event.type === "BlockSeen") {
      for (const { intents } of event.facts)
        for (const id of intents) course.fulfilled.add(id);
      checkContext(node, sequencer, event.facts, course);
    }
    if (event.type === "BlocksReverted") {
      for (const { intents } of event.facts)
        for (const id of intents) course.fulfilled.delete(id);
      checkWaitingAgain(node, sequencer, event.facts);
    }
    if (effects.length > 0) {
      checkSigned(node, sequencer, event, effects, course);
      checkSuperseded(node, effects, course);
      checkHandedBack(node, sequencer, effects, course);
    }
    if (event.type === "AssemblyDone" && course.assembly !== event.key)
      if (sent(effects, "AssembleResponse").length > 0)
        throw violation("S41", node, "answers with a stale assembly");
    if (event.type === "AssemblyDone") {
      const { retriesMax } = sequencer.config;
      checkEnded(node, event, effects, { ...course, retriesMax });
      course.hopeless.delete(event.key);
      notePostponed(course, effects, sequencer.tick);
    }
    if (event.type === "BlockSeen" && event.facts.length > 0)
      course.postponed.clear();
    noteAttempts(course.attempts, node, effects);
    for (const effect of effects) {
      if (effect.type === "Send") {
        note(course, effect.to, effect.message, sequencer);
        if (effect.message.type === "DelegationRequest") {
          checkSkipped(node, sequencer, effect.to, effect.message.key, course);
          checkRetried(node, sequencer, effect.message, course);
        }
      }
      if (effect.type !== "Save") continue;
      const { record } = effect;
      if (record.kind === "dispatch")
        this.#checkFlushed(node, sequencer, record.bundle.digest);
      if (record.kind === "intent")
        noteRetry(course, node, record, sequencer.tick);
    }
    checkFair(node, sequencer, course.services);
    if (course.coordinatorState !== sequencer.coordinator.state)
      course.flushTick = sequencer.tick;
    course.coordinatorState = sequencer.coordinator.state;
    course.predecessor = sequencer.coordinator.predecessor;
    noteFlush(course, sequencer);
    course.assembly = sequencer.sender.assembly?.request.key;
    if (course.delegate !== sequencer.sender.delegate) {
      course.delegate = sequencer.sender.delegate;
      course.unanswered.clear();
      if (course.delegate !== undefined)
        course.heardTicks.set(course.delegate, sequencer.tick);
    }
    if (event.type === "BlocksReverted") {
      course.isShaken = true;
      checkReopened(node, sequencer, event.reopened);
    }
    if (event.type === "Tick") {
      checkFooting(node, sequencer, course, this.#deceit);
      checkFlushing(node, sequencer, course);
    }
    if (event.type !== "Tick" || sequencer.tick % checkEveryTicks !== 0) return;
    checkRepeated(node, sequencer, course);
    checkHeard(node, sequencer, course);
  }

  #answered(
    node: SimulatedNode,
    sequencer: Sequencer,
    { from, message }: Extract<Event, { readonly type: "MessageReceived" }>,
    effects: readonly Effect[],
    course: Course,
  ): void {
    switch (message.type) {
      case "DelegationRequest":
        checkEntitled(node, sequencer, from, message, effects, course);
        return;
      case "DelegationReturned":
        checkReleased(node, sequencer, from, (id) => message.ids.includes(id));
        return;
      case "Heartbeat": {
        checkBeat(node, sequencer, from, message, course);
        checkClosing(node, sequencer, from, message, course);
        if (isLate(sequencer, from, message)) return;
        course.heardTicks.set(from, sequencer.tick);
        const { isComplete, transactions } = message;
        if (!isComplete || !candidates(sequencer).includes(from)) return;
        const listed = new Set(transactions.map(({ id }) => id));
        checkReleased(node, sequencer, from, (id) => !listed.has(id));
        return;
      }
      case "AssembleRequest":
        for (const effect of effects)
          if (effect.type === "Assemble" && effect.key === message.key)
            if (message.height > node.height)
              throw violation("S29", node, "assembles without the blocks");
        return;
      case "EndorsementRequest":
        checkKept(node, sequencer, message);
        if (isEndorsing(effects, message.bundle))
          checkEndorsed(node, sequencer, from, message);
        return;
      case "DispatchPermissionRequest":
        noteAsked(course, from, message);
        if (sent(effects, "DispatchPermission").length > 0)
          checkPermitted(node, sequencer, from, message, course);
        return;
      case "Handover":
        checkFlushPoint(node, sequencer, message, course);
        checkSteppedBack(node, sequencer, message, course);
        // Made elsewhere again, perhaps.
        for (const { id } of message.context.created)
          course.producers.delete(id);
        if (awaits(course, from) && sent(effects, "HandoverAck").length > 0)
          course.awaited = awaitedOf(course, from, message, sequencer.tick);
        return;
      case "TransactionReverted":
      case "TransactionRefused":
        checkBlamed(node, from, message, effects, course.attempts);
        return;
      case "DelegationAccepted":
        course.heardTicks.set(from, sequencer.tick);
        return;
      case "AssembleResponse":
        if (course.isAwaitingSteps) checkAssembled(node, sequencer, message);
        return;
      case "DelegationRejected":
      case "Endorsement":
      case "Refusal":
      case "DispatchPermission":
      case "DispatchDenial":
      case "Dispatched":
      case "DispatchedAck":
      case "TransactionPrepared":
      case "TransactionPreparedAck":
      case "DependencyQuery":
      case "DependencyFailed":
      case "FulfilmentQuery":
      case "FulfilmentProof":
      case "Suspicion":
      case "Leaving":
      case "HandoverRequest":
      case "HandoverAck":
        return;
    }
  }

  /**
   * S27: whoever takes over dispatches only when what his predecessor dispatched is over. He may give up waiting, but
   * not at once.
   */
  #checkFlushed(
    node: SimulatedNode,
    sequencer: Sequencer,
    digest: string,
  ): void {
    const awaited = this.#courses.get(node.name)?.awaited;
    if (awaited === undefined || node.disk.records.has(`dispatch:${digest}`))
      return;
    const { from, tick, flush, flushUntil } = awaited;
    const { config } = sequencer;
    if (
      sequencer.tick - tick >= graceTicks(config) ||
      this.#deceit.liars.has(from)
    )
      return;
    const predecessor = this.#nodes().find(({ name }) => name === from);
    for (const record of predecessor?.disk.records.values() ?? []) {
      if (record.kind !== "dispatch") continue;
      const { validUntil, steps } = record.bundle;
      if (!steps.some(({ intentId }) => flush.includes(intentId))) continue;
      if (validUntil <= sequencer.height) continue;
      // He dispatched it later, or it is nonsense.
      if (validUntil > flushUntil) continue;
      const isOver = steps.some(({ intentId }) =>
        isRemembered(sequencer.endorser.fulfilled, intentId),
      );
      if (!isOver)
        throw violation("S27", node, `dispatches before ${from} has flushed`);
    }
  }
}

/** To be told again does not make anybody wait for longer. */
function awaitedOf(
  { awaited, coordinatorState }: Course,
  from: NodeName,
  { flush, flushUntil }: MessageOf<"Handover">,
  tick: number,
): Awaited {
  const isAgain = coordinatorState === "Prepared" && awaited?.from === from;
  return { from, tick: isAgain ? awaited.tick : tick, flush, flushUntil };
}

/** Whether a handover by that node changes when the role may be taken up. */
function awaits(
  { coordinatorState, predecessor }: Course,
  from: NodeName,
): boolean {
  if (coordinatorState === "Elect" || coordinatorState === "Prepared")
    return predecessor === from;
  return coordinatorState !== "Active" && coordinatorState !== "Flush";
}

/** Whether it endorses this bundle, or begins to. In the same turn it may begin with one of its own. */
function isEndorsing(effects: readonly Effect[], { digest }: Bundle): boolean {
  return effects.some((effect) => {
    if (effect.type === "Endorse") return effect.bundle.digest === digest;
    if (effect.type !== "Send") return false;
    const { message } = effect;
    return message.type === "Endorsement" && message.digest === digest;
  });
}
