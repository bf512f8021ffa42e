import type { NodeName } from "../protocol/ids.ts";
import { canLeave, isDraining } from "../protocol/leaving.ts";
import type { Sequencer } from "../protocol/sequencer.ts";
import { graceTicks, rangeOf } from "../protocol/turn.ts";
import type { SimulatedNode } from "./node.ts";
import type { Settings } from "./settings.ts";
import { Violation } from "./violation.ts";

type GroupConfig = Settings["config"];

/** Clocks run at slightly different speeds. */
const drift = 1.05;

/**
 * Ticks in which a group without faults agrees: whoever was wrongly skipped is forgiven, a silent coordinator is
 * noticed, and then two that coordinate hear of each other. With as much again to act on it.
 */
function patienceTicks(config: GroupConfig): number {
  const { heartbeatTicks, suspicionTicks } = config;
  return suspicionTicks + 2 * (graceTicks(config) + 2 * heartbeatTicks);
}

/** Watches, once everything has healed, that a group comes to agree on its coordinator, and what comes of it. */
export class Recovery {
  readonly #config: GroupConfig;
  readonly #patienceMs: number;
  readonly #now: () => number;
  readonly #active = new Set<NodeName>();
  /** Nodes that pass another one over, because it made no progress with what is theirs. */
  readonly #suspecting = new Set<NodeName>();
  /** Nodes that are drained. */
  readonly #draining = new Set<NodeName>();
  /** Nodes that have the role, or are about to. */
  readonly #inOffice = new Set<NodeName>();
  /** Those of them that are drained and could leave, and since which tick. */
  readonly #staying = new Map<NodeName, number>();
  /** To whom each node has delegated what is not dispatched. */
  readonly #delegates = new Map<NodeName, NodeName>();
  #movedRange: number | undefined;
  #isDivided = false;
  /** When everything healed, or the group began to agree or to disagree. */
  #sinceMs = Infinity;

  constructor(
    options: Pick<Settings, "config" | "faults" | "tickMs">,
    ports: { readonly now: () => number },
  ) {
    this.#config = options.config;
    this.#patienceMs = patienceTicks(options.config) * options.tickMs * drift;
    this.#now = ports.now;
    if (options.faults === "none") this.healed();
  }

  /** Nothing of what went wrong has an effect any more. */
  healed(): void {
    if (this.#sinceMs === Infinity) this.#sinceMs = this.#now();
  }

  crashed({ name }: SimulatedNode): void {
    this.#active.delete(name);
    this.#suspecting.delete(name);
    this.#draining.delete(name);
    this.#inOffice.delete(name);
    this.#staying.delete(name);
    this.#delegates.delete(name);
  }

  turned({ name }: SimulatedNode, sequencer: Sequencer): void {
    const { coordinator, config } = sequencer;
    if (config.mode === "local") return;
    this.#checkDrain(name, sequencer);
    const wasActive = this.#active.has(name);
    if (coordinator.state === "Active") this.#active.add(name);
    else this.#active.delete(name);
    if (this.#sinceMs === Infinity) return;
    const delegate = delegateOf(sequencer);
    if (delegate === undefined) this.#delegates.delete(name);
    else this.#delegates.set(name, delegate);
    if (isSuspecting(sequencer, this.#draining)) this.#suspecting.add(name);
    else this.#suspecting.delete(name);
    this.#checkAgreement();
    if (wasActive && coordinator.state === "Flush")
      this.#checkMove(name, rangeOf(sequencer, sequencer.height));
  }

  /** S54. Whoever is drained, or takes part again, moves the role. */
  #checkDrain(name: NodeName, sequencer: Sequencer): void {
    const { state } = sequencer.coordinator;
    const isInOffice =
      state === "Elect" || state === "Prepared" || state === "Active";
    if (isDraining(sequencer) !== this.#draining.has(name)) {
      if (!this.#draining.delete(name)) this.#draining.add(name);
      if (this.#sinceMs !== Infinity) this.#sinceMs = this.#now();
    } else if (
      this.#draining.has(name) &&
      isInOffice &&
      !this.#inOffice.has(name)
    )
      throw new Violation("S54", `${name} is drained, and becomes ${state}`);
    if (isInOffice) this.#inOffice.add(name);
    else this.#inOffice.delete(name);
    this.#checkLeft(name, sequencer);
  }

  /** L24. It leaves with its next tick, as long as another one can coordinate. */
  #checkLeft(name: NodeName, sequencer: Sequencer): void {
    const { tick } = sequencer;
    if (!this.#inOffice.has(name) || !canLeave(sequencer)) {
      this.#staying.delete(name);
      return;
    }
    const sinceTick = this.#staying.get(name) ?? tick;
    this.#staying.set(name, sinceTick);
    if (tick > sinceTick + 1)
      throw new Violation("L24", `${name} is drained, and stays`);
  }

  /** All have agreed for a while. */
  #isCalm(): boolean {
    return !this.#isDivided && this.#now() - this.#sinceMs > this.#patienceMs;
  }

  /**
   * L1: neither two who dispatch, nor two who are taken for the coordinator, for long. A node that suspects another one goes its own
   * way, and whom it suspects ends what it has dispatched.
   */
  #checkAgreement(): void {
    const now = this.#now();
    const named = new Set(this.#delegates.values());
    const isDivided = this.#active.size > 1 || named.size > 1;
    if (isDivided !== this.#isDivided || this.#suspecting.size > 0) {
      this.#isDivided = isDivided;
      this.#sinceMs = now;
    }
    if (!isDivided || now - this.#sinceMs <= this.#patienceMs) return;
    const names = [...(named.size > 1 ? named : this.#active)].join(", ");
    throw new Violation("L1", `${names} are all taken for the coordinator`);
  }

  /** L6: when all agree, a sticky coordinator stays, and a rotating one hands over once in a range. */
  #checkMove(name: NodeName, range: number): void {
    const isAgain = this.#movedRange === range;
    this.#movedRange = range;
    if (!this.#isCalm()) return;
    if (this.#config.policy === "sticky" || isAgain)
      throw new Violation("L6", `${name} hands over, and nobody failed`);
  }
}

/** Whether it passes a node over that it suspects, or has not heard to be back. That ends by itself. */
function isSuspecting(
  { suspects, leaving, tick }: Sequencer,
  draining: ReadonlySet<NodeName>,
): boolean {
  for (const { untilTick } of suspects.values())
    if (untilTick > tick) return true;
  for (const [name, { untilTick }] of leaving)
    if (untilTick > tick && !draining.has(name)) return true;
  return false;
}

/** To whom a node has delegated what is not dispatched yet. */
function delegateOf({ sender }: Sequencer): NodeName | undefined {
  const { delegate } = sender;
  if (delegate === undefined) return undefined;
  for (const { state } of sender.sent.get(delegate) ?? [])
    if (
      state !== "Dispatched" &&
      state !== "Sequenced" &&
      state !== "Submitted" &&
      state !== "PreparedForUser"
    )
      return delegate;
  return undefined;
}
