import type { AssembleOutcome } from "../../../src/protocol/messages.ts";
import type { Intent } from "../../../src/protocol/transition.ts";
import type { Drive, Trace } from "./drive.ts";
import {
  assembled,
  Coordinator,
  outputsOf,
  wish,
} from "./driven-coordinator.ts";

const [first, second, third] = [wish(1), wish(2), wish(3)];
const follower = wish(5, first);

const failed = ({ id }: Intent): AssembleOutcome => ({
  type: "error",
  id,
  reason: "busy",
});

/** Both are in the same request. */
const together = (trace: Trace): Coordinator =>
  new Coordinator(trace).delegateTogether(first, follower);

/** The first one is dispatched, and the follower is asked for. */
function apart(trace: Trace): {
  readonly coordinator: Coordinator;
  readonly fail: () => void;
} {
  const coordinator = new Coordinator(trace);
  const bundle = coordinator.dispatched(first);
  coordinator.delegate(follower);
  return { coordinator, fail: () => coordinator.failed(bundle) };
}

/** The first one came before others, with its follower, and is tried again after them. */
function delayed(trace: Trace): Coordinator {
  const coordinator = new Coordinator(trace);
  return coordinator.delegate(first).delegate(follower).answer(failed(first));
}

/** It is built on the second one. */
function tryAgain(coordinator: Coordinator): Coordinator {
  coordinator.node.wait(8);
  return coordinator.answer(
    assembled(first, outputsOf(second)),
    assembled(follower),
  );
}

const assemblies: readonly Drive[] = [
  {
    arrow:
      "Pooled --> PreAssembly_Blocked : DependencyReverted [hasUnassembledDependencies]",
    run: (trace) => {
      const coordinator = new Coordinator(trace);
      const bundle = coordinator.dispatched(first);
      coordinator.delegate(second);
      // It waits for its turn beside the second one, which touches the same.
      coordinator.delegate({ ...follower, touches: second.touches });
      coordinator.failed(bundle);
    },
  },
  {
    arrow:
      "Assembling --> PreAssembly_Blocked : Assemble_Success [hasUnassembledDependencies]",
    run: (trace) => together(trace).answer(failed(first), assembled(follower)),
  },
  {
    arrow:
      "Assembling --> PreAssembly_Blocked : Assemble_Error [hasUnassembledDependencies]",
    run: (trace) => together(trace).answer(failed(first), failed(follower)),
  },
];

const falls: readonly Drive[] = [
  {
    arrow: "Assembling --> PreAssembly_Blocked : DependencyReverted",
    run: (trace) => apart(trace).fail(),
  },
  {
    arrow:
      "Endorsement_Gathering --> PreAssembly_Blocked : DependencyReverted [hasUnassembledDependencies]",
    run: (trace) => {
      const { coordinator, fail } = apart(trace);
      coordinator.answer(assembled(follower));
      fail();
    },
  },
  {
    // What came last is given back first, and whatever is built on it falls.
    arrow:
      "Blocked --> PreAssembly_Blocked : DependencyReverted [hasUnassembledDependencies]",
    run: (trace) => {
      const coordinator = delayed(trace);
      coordinator.gathering(second);
      tryAgain(coordinator).endorse(first).handOver();
    },
  },
  {
    // The same with all three in one bundle, because one before them was denied.
    arrow:
      "Confirming_Dispatch --> PreAssembly_Blocked : DependencyReverted [hasUnassembledDependencies]",
    run: (trace) => {
      const coordinator = delayed(trace);
      coordinator.endorsed(third);
      coordinator.gathering(second);
      tryAgain(coordinator).denied(third);
      coordinator.endorse(first).handOver();
    },
  },
];

/** Ways to arrows that only what follows others takes. */
export const coordinatorFollowerDrives: readonly Drive[] = [
  ...assemblies,
  ...falls,
];
