import type { Effect } from "../protocol/effects.ts";
import type { Event } from "../protocol/events.ts";
import type { CoordinatorState } from "../protocol/coordinator/model.ts";
import type { NodeName } from "../protocol/ids.ts";
import type { MessageOf } from "../protocol/messages.ts";
import type { Sequencer } from "../protocol/sequencer.ts";
import type { Block } from "./chain.ts";
import type { Conduct } from "./conduct/conduct.ts";
import { checkMemory } from "./inspection.ts";
import type { Invariants } from "./invariants.ts";
import type { SimulatedNode, Witness } from "./node.ts";
import type { Queue } from "./queue.ts";
import type { Recovery } from "./recovery.ts";
import {
  describeEffect,
  describeEvent,
  type Names,
  TraceHash,
} from "./transcript.ts";
import { Violation } from "./violation.ts";

/** Memory is compared with itself after every so many turns. */
const checkEveryTurns = 8;

/** Counters of one run. */
export interface Counters {
  turns: number;
  /** Ticks and blocks of which groups at rest were not told. */
  rested: number;
  commits: number;
  sends: number;
  lastSendMs: number;
  handovers: number;
  /** How often another node than the one before dispatched. */
  coordinatorChanges: number;
  ledgerReverts: number;
  dispatches: number;
}

/** Sees all that nodes do: checks it, counts it, hashes it, and writes it down for people. */
export class Observer implements Witness {
  readonly trace = new TraceHash();
  readonly counters: Counters = {
    turns: 0,
    rested: 0,
    commits: 0,
    sends: 0,
    lastSendMs: 0,
    handovers: 0,
    coordinatorChanges: 0,
    ledgerReverts: 0,
    dispatches: 0,
  };
  readonly #names: Names;
  readonly #transcript: ((line: string) => void) | undefined;
  readonly #ports: {
    readonly queue: Queue;
    readonly invariants: Invariants;
    readonly conduct: Conduct;
    readonly recovery: Recovery;
    readonly sequencerOf: (node: SimulatedNode) => Sequencer | undefined;
  };
  #lastDispatcher: string | undefined;

  constructor(
    options: {
      readonly names: Names;
      readonly transcript: ((line: string) => void) | undefined;
    },
    ports: {
      readonly queue: Queue;
      readonly invariants: Invariants;
      readonly conduct: Conduct;
      readonly recovery: Recovery;
      readonly sequencerOf: (node: SimulatedNode) => Sequencer | undefined;
    },
  ) {
    this.#names = options.names;
    this.#transcript = options.transcript;
    this.#ports = ports;
  }

  started(node: SimulatedNode, effects: readonly Effect[]): void {
    this.trace.number(node.index);
    this.say(() => `${node.name} starts, boot ${node.boot}`);
    this.#sayEffects(node, effects);
    const sequencer = this.#ports.sequencerOf(node);
    this.#ports.invariants.started(node, effects, sequencer);
    if (sequencer !== undefined) this.#ports.conduct.started(node, sequencer);
  }

  crashed(node: SimulatedNode): void {
    this.say(() => `${node.name} crashes`);
    this.#ports.recovery.crashed(node);
  }

  turning(node: SimulatedNode, event: Event): void {
    if (event.type !== "MessageReceived") return;
    const sequencer = this.#ports.sequencerOf(node);
    if (sequencer !== undefined)
      this.#ports.conduct.turning(node, sequencer, event);
  }

  turned(node: SimulatedNode, event: Event, effects: readonly Effect[]): void {
    const { trace, counters } = this;
    counters.turns += 1;
    trace.number(this.#ports.queue.now);
    trace.number(node.index);
    trace.event(event);
    for (const effect of effects) trace.effect(effect);
    if (this.#transcript !== undefined) {
      const line = describeEvent(event, this.#names);
      if (line !== undefined) this.say(() => `${node.name} ${line}`);
      this.#sayEffects(node, effects);
    }
    const sequencer = this.#ports.sequencerOf(node);
    if (sequencer === undefined) return;
    for (const effect of effects)
      this.#checkRole(node, effect, sequencer.coordinator.state);
    this.#ports.conduct.turned(node, sequencer, event, effects);
    this.#ports.recovery.turned(node, sequencer);
    if (counters.turns % checkEveryTurns === 0) checkMemory(sequencer);
  }

  rested(): void {
    this.counters.rested += 1;
  }

  committing(
    node: SimulatedNode,
    effects: readonly Effect[],
    block: Block | undefined,
  ): void {
    this.#ports.invariants.committing(node, effects, block);
  }

  performing(node: SimulatedNode, effect: Effect): void {
    this.#ports.invariants.performing(node, effect);
  }

  /** S27, S28: only an active coordinator dispatches; one that flushes or closes asks for nothing. */
  #checkRole(
    node: SimulatedNode,
    effect: Effect,
    state: CoordinatorState,
  ): void {
    if (effect.type === "Save" && effect.record.kind === "dispatch") {
      const { digest } = effect.record.bundle;
      if (node.disk.records.has(`dispatch:${digest}`)) return;
      this.#countDispatch(node);
      if (state !== "Active")
        throw new Violation("S27", `${node.name} dispatches as ${state}`);
    }
    if (effect.type !== "Send") return;
    if (effect.message.type === "DispatchPermissionRequest")
      if (effect.message.bundle.validUntil <= node.height)
        throw new Violation(
          "L10",
          `${node.name} goes on with what has expired`,
        );
    if (effect.message.type === "DispatchPermission")
      this.#checkPermission(node, effect.to, effect.message);
    const { type } = effect.message;
    if (type !== "AssembleRequest" && type !== "EndorsementRequest") return;
    if (state === "Flush" || state === "Closing")
      throw new Violation("S28", `${node.name} sends ${type} as ${state}`);
  }

  /** S16: only who was last entrusted with it gets a permission; one that was given before may be repeated. */
  #checkPermission(
    node: SimulatedNode,
    to: NodeName,
    { ids, digest }: MessageOf<"DispatchPermission">,
  ): void {
    const { sender } = this.#ports.sequencerOf(node) ?? {};
    for (const id of ids) {
      if (sender?.transactions.get(id)?.sentTo === to) continue;
      const before = node.disk.records.get(`intent:${id}`);
      const given = before?.kind === "intent" ? before.permission : undefined;
      if (given?.digest !== digest || given.coordinator !== to)
        throw new Violation(
          "S16",
          `${node.name} permits ${to}, not its delegate`,
        );
    }
  }

  #countDispatch({ name }: SimulatedNode): void {
    this.counters.dispatches += 1;
    if (this.#lastDispatcher === name) return;
    this.counters.coordinatorChanges += 1;
    this.#lastDispatcher = name;
  }

  /** Writes a line down, if anybody reads it. */
  say(line: () => string): void {
    if (this.#transcript === undefined) return;
    const seconds = (this.#ports.queue.now / 1_000).toFixed(3).padStart(9);
    this.#transcript(`${seconds} ${line()}`);
  }

  #sayEffects(node: SimulatedNode, effects: readonly Effect[]): void {
    if (this.#transcript === undefined) return;
    for (const effect of effects)
      this.say(() => `${node.name}   ${describeEffect(effect, this.#names)}`);
  }
}
