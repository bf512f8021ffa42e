import { committeeBlock } from "../letters.ts";
import { rank } from "../lone-node.ts";
import type { Drive, Trace } from "./drive.ts";
import { Sender } from "./driven-sender.ts";

/** The committee changes, and this node is in it no more. */
function excluded({ node }: Sender): void {
  node.tell(committeeBlock(1, { committee: [rank(0), rank(2)] }));
}

const delegated = (trace: Trace): Sender => new Sender(trace).delegated();
const permitted = (trace: Trace): Sender =>
  delegated(trace).gathering().permitted();

/** Ways of the sender's transaction when its node is no longer a member. */
export const senderMembershipDrives: readonly Drive[] = [
  {
    arrow: "Pending --> Reverted : MembershipLost [hasNoLiveStep]",
    run: (trace) => excluded(delegated(trace)),
  },
  {
    arrow: "Pending --> Pending : MembershipLost",
    run: (trace) => excluded(permitted(trace).dispatched()),
  },
  {
    arrow: "Parked --> Reverted : MembershipLost [hasNoLiveStep]",
    run: (trace) => excluded(delegated(trace).parked()),
  },
  {
    arrow: "Parked --> Pending : MembershipLost",
    run: (trace) => excluded(permitted(trace).returned().parked()),
  },
];
