import { intent } from "../simulated-group.ts";
import type { Drive } from "./drive.ts";
import { recordOf, Sender } from "./driven-sender.ts";

const ended = intent(3, "");

/** Ways to arrows of the sender that no scenario takes. */
export const senderDrives: readonly Drive[] = [
  {
    arrow: "Idle --> Idle : TransactionsFailed",
    run: (trace) => {
      const { id } = ended;
      const receipt = { type: "Reverted", id, reason: "reverted" } as const;
      new Sender(trace, { records: [{ ...recordOf(ended), receipt }] });
    },
  },
];
