import type { Intent } from "../../../src/protocol/transition.ts";
import type { Drive, Trace } from "./drive.ts";
import {
  assembled,
  Coordinator,
  outputsOf,
  wish,
} from "./driven-coordinator.ts";

const [first, second, third] = [wish(1), wish(2), wish(3)];
/** Cannot be assembled beside the first one. */
const rival: Intent = { ...wish(4), touches: first.touches };

/** The second one is endorsed, and waits for the first one, which is not. */
function blocked(trace: Trace): Coordinator {
  const coordinator = new Coordinator(trace);
  coordinator.gathering(first);
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
        .answer(assembled(first)),
  },
  {
    arrow: "PreAssembly_Blocked --> Pooled : DependencyAssembled",
    run: (trace) =>
      new Coordinator(trace)
        .delegate(first)
        .delegate(wish(5, first))
        .answer(assembled(first)),
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
      coordinator.gathering(second);
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
    arrow: "Assembling --> Final : Withdrawn",
    run: (trace) => new Coordinator(trace).delegate(first).node.wait(50),
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
    run: (trace) => {
      const coordinator = new Coordinator(trace);
      coordinator.endorsed(first);
      coordinator.handOver();
    },
  },
  {
    // Nobody else endorses the first one.
    arrow: "Blocked --> Endorsement_Gathering : Unbundled",
    run: (trace) => blocked(trace).node.wait(50),
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
