import { block } from "../letters.ts";
import type { Drive, Trace } from "./drive.ts";
import { Coordinator, wish } from "./driven-coordinator.ts";

const wanted = { ...wish(1), isPrepareOnly: true };

/** It is endorsed, and the sender does not say that he has it. */
function prepared(trace: Trace): Coordinator {
  const coordinator = new Coordinator(trace);
  coordinator.endorsed(wanted);
  return coordinator;
}

/** So many blocks come that too few are left. */
function expire({ node }: Coordinator): void {
  for (let height = 1; height <= 15; height++) node.tell(block(height));
}

/** It has its endorsements when too few blocks are left. */
function late(trace: Trace): void {
  const coordinator = new Coordinator(trace);
  coordinator.gathering(wanted);
  expire(coordinator);
  coordinator.endorse(wanted);
}

/** The sender does not say that he has it before too few blocks are left. */
function lapsed(trace: Trace): void {
  const coordinator = prepared(trace);
  expire(coordinator);
  coordinator.node.wait(1);
}

/** Ways to arrows that only what is prepared for its user takes. */
export const coordinatorPreparationDrives: readonly Drive[] = [
  {
    arrow: "Prepared --> Final : DispatchConfirmationRejected",
    run: lapsed,
  },
  {
    arrow: "Prepared --> Final : Withdrawn",
    run: (trace) => prepared(trace).handOver(),
  },
  {
    arrow: "Prepared --> Endorsement_Gathering : Unbundled",
    run: late,
  },
];
