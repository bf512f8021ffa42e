import type { StateId } from "../../../src/protocol/ids.ts";
import type { AssembleOutcome } from "../../../src/protocol/messages.ts";
import type { Bundle, Intent, Step } from "../../../src/protocol/transition.ts";
import { stateIdOf } from "../../../src/simulation/hashing.ts";
import { block, delegation } from "../letters.ts";
import { LoneNode, rank } from "../lone-node.ts";
import { aStep, intent } from "../simulated-group.ts";
import type { Trace } from "./drive.ts";

const self = rank(1);
const sender = rank(2);
const higher = rank(0);

/** A coordinator that one sender gives transactions to, each of which touches something of its own. */
export class Coordinator {
  readonly node: LoneNode;

  constructor(trace: Trace) {
    this.node = new LoneNode({ self }, {}, trace);
  }

  delegate(wish: Intent): this {
    this.node.hear(sender, delegation(wish));
    return this;
  }

  /** All in one message. */
  delegateTogether(...intents: readonly Intent[]): this {
    const [first] = intents;
    if (first === undefined) throw new Error("nothing to delegate");
    this.node.hear(sender, { ...delegation(first), intents });
    return this;
  }

  /** The sender answers the request for these. */
  answer(...outcomes: readonly AssembleOutcome[]): this {
    const { assemblies } = this.node.sequencer.coordinator;
    const work = [...assemblies.values()].find(({ request }) =>
      outcomes.every(({ id }) => request.ids.includes(id)),
    );
    if (work === undefined) throw new Error("that is not asked for");
    const { key } = work.request;
    this.node.hear(sender, { type: "AssembleResponse", key, outcomes });
    return this;
  }

  /** The step spends these states. */
  gathering(wish: Intent, inputs: readonly StateId[] = []): Bundle {
    this.delegate(wish).answer(assembled(wish, inputs));
    return this.#workOf(wish).bundle;
  }

  /** Enough endorsements for the bundle of a wish. */
  endorse(wish: Intent): this {
    const { key, bundle } = this.#workOf(wish);
    const { digest } = bundle;
    const signature = "signed";
    this.node.hear(sender, { type: "Endorsement", key, digest, signature });
    return this;
  }

  /** Permission is asked for, if it is for all bundles in front of it. */
  endorsed(wish: Intent, inputs?: readonly StateId[]): Bundle {
    const bundle = this.gathering(wish, inputs);
    this.endorse(wish);
    return bundle;
  }

  /** The sender permits the bundle of a wish. */
  permitted(wish: Intent): this {
    const { key, bundle } = this.#workOf(wish);
    const { digest } = bundle;
    const ids = [wish.id];
    this.node.hear(sender, { type: "DispatchPermission", key, digest, ids });
    return this;
  }

  dispatched(wish: Intent): Bundle {
    const bundle = this.endorsed(wish);
    this.permitted(wish);
    return bundle;
  }

  #workOf({ id }: Intent) {
    const { bundles, preparations } = this.node.sequencer.coordinator;
    const work = [...bundles, ...preparations].find(({ ids }) => ids.has(id));
    if (work === undefined) throw new Error(`${id} is in no bundle`);
    return work;
  }

  denied(made: Intent): void {
    const { key, bundle } = this.#workOf(made);
    const { digest } = bundle;
    const denied = [{ id: made.id, reason: "changed" } as const];
    this.node.hear(sender, { type: "DispatchDenial", key, digest, denied });
  }

  progressed({ digest }: Bundle, progress: "nonce" | "submitted"): this {
    this.node.tell({ type: "SubmissionProgressed", digest, progress });
    return this;
  }

  failed({ digest }: Bundle): void {
    this.node.tell({
      type: "SubmissionFailed",
      digest,
      failure: "reverted",
      reason: "OutOfGas",
      isRetryable: true,
    });
  }

  /** Somebody with a better claim wants the role: all that is not dispatched goes back. */
  handOver(): void {
    this.node.hear(higher, { type: "HandoverRequest", height: 0 });
  }

  /** It happens, by the doing of somebody else. */
  confirmed({ id }: Intent): void {
    this.node.tell(block(1, [id]));
  }
}

/** Touches something of its own. */
export const wish = (number: number, ...dependsOn: Intent[]): Intent => ({
  ...intent(number, ""),
  dependsOn: dependsOn.map(({ id }) => id),
  touches: [`set ${number}`],
});

function stepOf({ id: intentId }: Intent, inputs: readonly StateId[]): Step {
  const content = "";
  const outputs = [{ id: stateIdOf({ intentId, index: 0, content }), content }];
  const signature = `signed ${intentId}`;
  return aStep({ intentId, sender, inputs, outputs, signature });
}

/** The step of a wish, which spends these states. */
export const assembled = (
  made: Intent,
  inputs: readonly StateId[] = [],
): AssembleOutcome => ({
  type: "assembled",
  id: made.id,
  step: stepOf(made, inputs),
});

/** What the step of a wish creates. */
export const outputsOf = (made: Intent): StateId[] =>
  stepOf(made, []).outputs.map(({ id }) => id);
