import type { StateId } from "../../../src/protocol/ids.ts";
import type { Bundle, Intent, Step } from "../../../src/protocol/transition.ts";
import { stateIdOf } from "../../../src/simulation/hashing.ts";
import { block, delegation } from "../letters.ts";
import { LoneNode, rank } from "../lone-node.ts";
import { intent } from "../simulated-group.ts";
import type { Drive, Trace } from "./drive.ts";

const self = rank(1);
const sender = rank(2);
const higher = rank(0);

/** A coordinator that one sender gives transactions to, each of which touches something of its own. */
class Coordinator {
  readonly node: LoneNode;

  constructor(trace: Trace) {
    this.node = new LoneNode({ self }, {}, trace);
  }

  delegate(wish: Intent): this {
    this.node.hear(sender, delegation(wish));
    return this;
  }

  /** The sender answers; the step spends these states. */
  gathering(wish: Intent, inputs: readonly StateId[] = []): Bundle {
    this.delegate(wish);
    return this.answer(wish, inputs);
  }

  answer(wish: Intent, inputs: readonly StateId[] = []): Bundle {
    const { assemblies } = this.node.sequencer.coordinator;
    const work = [...assemblies.values()].find(({ request }) =>
      request.ids.includes(wish.id),
    );
    if (work === undefined) throw new Error(`${wish.id} is not asked for`);
    const { key } = work.request;
    const step = stepOf(wish, inputs);
    const outcomes = [{ type: "assembled", id: wish.id, step } as const];
    this.node.hear(sender, { type: "AssembleResponse", key, outcomes });
    return this.#workOf(wish).bundle;
  }

  /** Enough endorsements: the first bundle asks for permission, the next one waits for it. */
  endorsed(wish: Intent, inputs?: readonly StateId[]): Bundle {
    const bundle = this.gathering(wish, inputs);
    const { key } = this.#workOf(wish);
    const { digest } = bundle;
    const signature = "signed";
    this.node.hear(sender, { type: "Endorsement", key, digest, signature });
    return bundle;
  }

  dispatched(wish: Intent): Bundle {
    const bundle = this.endorsed(wish);
    const { key } = this.#workOf(wish);
    const { digest } = bundle;
    const ids = [wish.id];
    this.node.hear(sender, { type: "DispatchPermission", key, digest, ids });
    return bundle;
  }

  #workOf({ id }: Intent) {
    const { bundles } = this.node.sequencer.coordinator;
    const work = bundles.find(({ ids }) => ids.has(id));
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

const wish = (number: number, ...dependsOn: Intent[]): Intent => ({
  ...intent(number, ""),
  dependsOn: dependsOn.map(({ id }) => id),
  touches: [`set ${number}`],
});

function stepOf({ id: intentId }: Intent, inputs: readonly StateId[]): Step {
  const content = "";
  const outputs = [{ id: stateIdOf({ intentId, index: 0, content }), content }];
  const signature = `signed ${intentId}`;
  return {
    intentId,
    sender,
    payload: "",
    inputs,
    reads: [],
    outputs,
    found: [],
    signature,
  };
}

const [first, second, third] = [wish(1), wish(2), wish(3)];
/** Cannot be assembled beside the first one. */
const rival: Intent = { ...wish(4), touches: first.touches };

/** What the step of a wish creates. */
const outputsOf = (made: Intent): StateId[] =>
  stepOf(made, []).outputs.map(({ id }) => id);

/** The first one asks for permission, the second one is endorsed and waits for it. */
function blocked(trace: Trace): Coordinator {
  const coordinator = new Coordinator(trace);
  coordinator.endorsed(first);
  coordinator.endorsed(second);
  return coordinator;
}

const dependencies: readonly Drive[] = [
  {
    arrow:
      "Initial --> PreAssembly_Blocked : Received [hasUnassembledDependencies]",
    run: (trace) =>
      new Coordinator(trace).delegate(first).delegate(wish(5, first)),
  },
  {
    arrow:
      "PreAssembly_Blocked --> PreAssembly_Blocked : DependencyAssembled [hasUnassembledDependencies]",
    run: (trace) =>
      new Coordinator(trace)
        .delegate(first)
        .delegate(second)
        .delegate(wish(5, first, second))
        .answer(first),
  },
  {
    arrow: "PreAssembly_Blocked --> Pooled : DependencyAssembled",
    run: (trace) =>
      new Coordinator(trace)
        .delegate(first)
        .delegate(wish(5, first))
        .answer(first),
  },
  {
    arrow: "PreAssembly_Blocked --> Final : Withdrawn",
    run: (trace) =>
      new Coordinator(trace)
        .delegate(first)
        .delegate(wish(5, first))
        .handOver(),
  },
  {
    arrow: "PreAssembly_Blocked --> Confirmed : Confirmed",
    run: (trace) => {
      const dependant = wish(5, first);
      new Coordinator(trace)
        .delegate(first)
        .delegate(dependant)
        .confirmed(dependant);
    },
  },
  {
    arrow: "Blocked --> Pooled : DependencyReverted",
    run: (trace) => {
      const coordinator = new Coordinator(trace);
      const bundle = coordinator.dispatched(first);
      coordinator.endorsed(second);
      coordinator.endorsed(third, outputsOf(first));
      coordinator.failed(bundle);
    },
  },
  {
    arrow: "Confirming_Dispatch --> Pooled : DependencyReverted",
    run: (trace) => {
      const coordinator = new Coordinator(trace);
      const bundle = coordinator.dispatched(first);
      coordinator.endorsed(second, outputsOf(first));
      coordinator.failed(bundle);
    },
  },
];

const ends: readonly Drive[] = [
  {
    arrow: "Pooled --> Final : Withdrawn",
    run: (trace) =>
      new Coordinator(trace).delegate(first).delegate(rival).handOver(),
  },
  {
    arrow: "Pooled --> Confirmed : Confirmed",
    run: (trace) =>
      new Coordinator(trace).delegate(first).delegate(rival).confirmed(rival),
  },
  {
    arrow: "Assembling --> Final : AssembleTimeout [hasFailedTooOften]",
    run: (trace) => new Coordinator(trace).delegate(first).node.wait(1_000),
  },
  {
    arrow: "Assembling --> Confirmed : Confirmed",
    run: (trace) => new Coordinator(trace).delegate(first).confirmed(first),
  },
  {
    arrow: "Endorsement_Gathering --> Confirmed : Confirmed",
    run: (trace) => {
      const coordinator = new Coordinator(trace);
      coordinator.gathering(first);
      coordinator.confirmed(first);
    },
  },
  {
    arrow: "Blocked --> Final : Withdrawn",
    run: (trace) => blocked(trace).handOver(),
  },
  {
    arrow: "Confirming_Dispatch --> Final : Withdrawn",
    run: (trace) => blocked(trace).handOver(),
  },
  {
    arrow: "Blocked --> Endorsement_Gathering : Unbundled",
    run: (trace) => {
      blocked(trace).denied(first);
    },
  },
  {
    arrow: "Submitted --> Submitted : Submitted",
    run: (trace) => {
      const coordinator = new Coordinator(trace);
      const bundle = coordinator.dispatched(first);
      coordinator.progressed(bundle, "submitted");
      coordinator.progressed(bundle, "submitted");
    },
  },
  {
    arrow: "Dispatched --> Submitted : Submitted",
    run: (trace) => {
      const coordinator = new Coordinator(trace);
      coordinator.progressed(coordinator.dispatched(first), "submitted");
    },
  },
  {
    arrow: "Dispatched --> Final : ConfirmedReverted",
    run: (trace) => {
      const coordinator = new Coordinator(trace);
      coordinator.failed(coordinator.dispatched(first));
    },
  },
  {
    arrow: "Sequenced --> Confirmed : Confirmed",
    run: (trace) => {
      const coordinator = new Coordinator(trace);
      coordinator.progressed(coordinator.dispatched(first), "nonce");
      coordinator.confirmed(first);
    },
  },
  {
    arrow: "Sequenced --> Final : ConfirmedReverted",
    run: (trace) => {
      const coordinator = new Coordinator(trace);
      const bundle = coordinator.dispatched(first);
      coordinator.progressed(bundle, "nonce").failed(bundle);
    },
  },
];

/** Ways to arrows of the coordinator's transaction that no scenario takes. */
export const coordinatorTransactionDrives: readonly Drive[] = [
  ...dependencies,
  ...ends,
];
