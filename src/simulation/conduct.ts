import { isRemembered } from "../protocol/recent.ts";
import type { CoordinatorState } from "../protocol/coordinator/model.ts";
import type { Effect } from "../protocol/effects.ts";
import type { Event } from "../protocol/events.ts";
import type { IntentId, NodeName, RequestKey } from "../protocol/ids.ts";
import type { Message, MessageOf } from "../protocol/messages.ts";
import type { Sequencer } from "../protocol/sequencer.ts";
import type { Intent, Step } from "../protocol/transition.ts";
import { candidates, graceTicks, rangeOf } from "../protocol/turn.ts";
import { hashing } from "./hashing.ts";
import { Violation } from "./invariants.ts";
import type { SimulatedNode } from "./node.ts";

/** Records are compared with what was sent after every so many ticks of a node. */
const checkEveryTicks = 16;

/** A handover that a node has got, and that it has to wait for. */
interface Awaited {
  readonly from: NodeName;
  readonly tick: number;
  readonly height: number;
  readonly flush: readonly IntentId[];
}

/** What is known of one node since it started. */
interface Course {
  /** As it was after its last turn. */
  coordinatorState: CoordinatorState;
  predecessor: NodeName | undefined;
  assembly: RequestKey | undefined;
  /** To whom it delegated an intent last. */
  readonly delegates: Map<IntentId, NodeName>;
  /** The signature of what it assembled last for an intent. */
  readonly signatures: Map<IntentId, string>;
  /** The tick in which a message was sent last, by its key and receiver. */
  readonly sentTicks: Map<string, number>;
  awaited: Awaited | undefined;
}

/**
 * Watches what a node does in answer to what. Contradictions with what is durable are the business of the invariants;
 * here it is about manners: whom to trust, what to wait for, what to say again. Messages of a node to itself are not
 * seen.
 */
export class Conduct {
  readonly #courses = new Map<NodeName, Course>();
  readonly #nodes: () => readonly SimulatedNode[];
  readonly #liars: ReadonlySet<NodeName>;

  constructor(
    options: { readonly liars: ReadonlySet<NodeName> },
    ports: { readonly nodes: () => readonly SimulatedNode[] },
  ) {
    this.#liars = options.liars;
    this.#nodes = ports.nodes;
  }

  /** It knows nothing but what is on its disk. */
  started(node: SimulatedNode, { coordinator }: Sequencer): void {
    this.#courses.set(node.name, {
      coordinatorState: coordinator.state,
      predecessor: undefined,
      assembly: undefined,
      delegates: new Map(),
      signatures: new Map(),
      sentTicks: new Map(),
      awaited: undefined,
    });
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
    if (event.type === "MessageReceived")
      this.#answered(node, sequencer, event, effects, course);
    if (event.type === "AssemblyDone" && course.assembly !== event.key)
      if (sent(effects, "AssembleResponse").length > 0)
        throw violation("S41", node, "answers with a stale assembly");
    for (const effect of effects) {
      if (effect.type === "Endorse") checkEndorse(node, sequencer, effect);
      if (effect.type === "Send")
        note(course, effect.to, effect.message, sequencer.tick);
      if (effect.type === "Save" && effect.record.kind === "dispatch")
        this.#checkFlushed(node, sequencer, effect.record.bundle.digest);
    }
    course.coordinatorState = sequencer.coordinator.state;
    course.predecessor = sequencer.coordinator.predecessor;
    course.assembly = sequencer.sender.assembly?.request.key;
    if (event.type === "Tick" && sequencer.tick % checkEveryTicks === 0)
      checkRepeated(node, sequencer, course);
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
        checkEntitled(node, sequencer, message, effects, course);
        return;
      case "DelegationReturned":
        checkReleased(node, sequencer, from, (id) => message.ids.includes(id));
        return;
      case "Heartbeat": {
        const { boot, isComplete, transactions } = message;
        if (!isComplete || boot < (sequencer.sender.boots.get(from) ?? boot))
          return;
        if (!candidates(sequencer).includes(from)) return;
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
        for (const effect of effects)
          if (effect.type === "Endorse")
            if (message.height > node.height)
              throw violation("S29", node, "endorses without the blocks");
        return;
      case "DispatchPermissionRequest":
        if (sent(effects, "DispatchPermission").length > 0)
          checkPermitted(node, sequencer, from, message, course);
        return;
      case "Handover":
        if (awaits(course, from))
          course.awaited = {
            from,
            tick: sequencer.tick,
            height: sequencer.height,
            flush: message.flush,
          };
        return;
      case "DelegationAccepted":
      case "DelegationRejected":
      case "AssembleResponse":
      case "Endorsement":
      case "Refusal":
      case "DispatchPermission":
      case "DispatchDenial":
      case "Dispatched":
      case "DispatchedAck":
      case "TransactionPrepared":
      case "TransactionPreparedAck":
      case "TransactionReverted":
      case "DependencyQuery":
      case "DependencyFailed":
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
    const { from, tick, height, flush } = awaited;
    const { config } = sequencer;
    if (sequencer.tick - tick >= graceTicks(config) || this.#liars.has(from))
      return;
    const predecessor = this.#nodes().find(({ name }) => name === from);
    for (const record of predecessor?.disk.records.values() ?? []) {
      if (record.kind !== "dispatch") continue;
      const { validUntil, steps } = record.bundle;
      if (!steps.some(({ intentId }) => flush.includes(intentId))) continue;
      if (validUntil <= sequencer.height) continue;
      if (validUntil > height + 2 * config.validForBlocks) continue;
      const isOver = steps.some(({ intentId }) =>
        isRemembered(sequencer.endorser.fulfilled, intentId),
      );
      if (!isOver)
        throw violation("S27", node, `dispatches before ${from} has flushed`);
    }
  }
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

/** S32, S30: nobody endorses what the asker may not coordinate. */
function checkEndorse(
  node: SimulatedNode,
  { config }: Sequencer,
  { coordinator, bundle }: Extract<Effect, { readonly type: "Endorse" }>,
): void {
  const { mode, committee, pool } = config;
  const isFine =
    mode === "local"
      ? bundle.steps.every(({ sender }) => sender === coordinator)
      : (mode === "remote" ? pool : committee).includes(coordinator);
  if (!isFine)
    throw violation("S32", node, `endorses for ${coordinator}, who may not`);
}

/** S29, S32: delegations that the own view does not justify are rejected. */
function checkEntitled(
  node: SimulatedNode,
  sequencer: Sequencer,
  { height }: MessageOf<"DelegationRequest">,
  effects: readonly Effect[],
  { coordinatorState }: Course,
): void {
  if (sent(effects, "DelegationAccepted").length === 0) return;
  const { mode, policy, self } = sequencer.config;
  const order = candidates(sequencer);
  if (mode === "local" || !order.includes(self))
    throw violation("S32", node, "takes work that is not its business");
  const isIdle =
    coordinatorState === "Idle" || coordinatorState === "Observing";
  if (policy !== "rotating" || !isIdle || order[0] === self) return;
  if (rangeOf(sequencer, height) !== rangeOf(sequencer, sequencer.height))
    throw violation("S29", node, "takes work for a range that is not its own");
}

/** L4: what a coordinator gave back, or has forgotten, does not stay with it. */
function checkReleased(
  node: SimulatedNode,
  { sender }: Sequencer,
  from: NodeName,
  isGone: (id: IntentId) => boolean,
): void {
  for (const {
    id,
    sentTo,
    isAccepted,
    state,
  } of sender.transactions.values()) {
    if (sentTo !== from || !isAccepted || !isGone(id)) continue;
    if (state === "Delegated" || state === "EndorsementGathering")
      throw violation("L4", node, `leaves ${id.slice(0, 10)} with ${from}`);
  }
}

/** S16: what is permitted is exactly what was asked, assembled and signed, and the asker is the delegate. */
function checkPermitted(
  node: SimulatedNode,
  { config, height }: Sequencer,
  from: NodeName,
  { bundle }: MessageOf<"DispatchPermissionRequest">,
  { delegates, signatures }: Course,
): void {
  const { steps, validUntil, digest } = bundle;
  if (hashing.bundleDigest(bundle) !== digest)
    throw violation("S16", node, "permits what it has not seen");
  if (validUntil > height + 4 * config.validForBlocks)
    throw violation("S16", node, `permits until block ${validUntil}`);
  for (const { intentId, sender, signature } of steps) {
    if (sender !== node.name) continue;
    const record = node.disk.records.get(`intent:${intentId}`);
    const last = record?.kind === "intent" ? record.permission : undefined;
    if (last?.digest === digest && last.coordinator === from) continue;
    if ((delegates.get(intentId) ?? from) !== from)
      throw violation("S16", node, `permits ${from}, who is not its delegate`);
    if ((signatures.get(intentId) ?? signature) !== signature)
      throw violation("S16", node, "permits another step than its last");
    if (record?.kind === "intent") checkOrder(node, record.intent, steps);
  }
}

/** What an intent depends on is on the ledger, as its node sees it, or comes before it in the same bundle. */
function checkOrder(
  node: SimulatedNode,
  { id, dependsOn }: Intent,
  steps: readonly Step[],
): void {
  const ids = steps.map(({ intentId }) => intentId);
  const before = ids.slice(0, ids.indexOf(id));
  for (const dependency of dependsOn)
    if (!node.holdings.isFulfilled(dependency) && !before.includes(dependency))
      throw violation("dependsOn", node, "permits what is not its turn");
}

/** L18: what must arrive is said again until it is acknowledged. */
function checkRepeated(
  node: SimulatedNode,
  { tick, config }: Sequencer,
  { sentTicks }: Course,
): void {
  const patience = Math.ceil(config.requestTicksMax * 1.25) + 2;
  const check = (key: string, to: NodeName): void => {
    if (
      to !== node.name &&
      tick - (sentTicks.get(`${key}|${to}`) ?? 0) > patience
    )
      throw violation(
        "L18",
        node,
        `does not repeat to ${to} what he must hear`,
      );
  };
  for (const record of node.disk.records.values()) {
    if (record.kind === "handover") check(record.key, record.to);
    if (record.kind !== "dispatch") continue;
    for (const { sender } of record.bundle.steps)
      if (!record.acknowledged.includes(sender))
        check(record.bundle.digest, sender);
  }
}

function note(
  { delegates, signatures, sentTicks }: Course,
  to: NodeName,
  message: Message,
  tick: number,
): void {
  if (message.type === "DelegationRequest")
    for (const { id } of message.intents) delegates.set(id, to);
  else if (message.type === "AssembleResponse") {
    for (const outcome of message.outcomes)
      if (outcome.type === "assembled")
        signatures.set(outcome.id, outcome.step.signature);
  } else if (message.type === "Dispatched")
    sentTicks.set(`${message.digest}|${to}`, tick);
  else if (message.type === "Handover")
    sentTicks.set(`${message.key}|${to}`, tick);
}

function sent(effects: readonly Effect[], type: Message["type"]): Effect[] {
  return effects.filter(
    (effect) => effect.type === "Send" && effect.message.type === type,
  );
}

function violation(
  property: string,
  { name }: SimulatedNode,
  what: string,
): Violation {
  return new Violation(property, `${name} ${what}`);
}
