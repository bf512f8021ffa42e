import type { IntentId, NodeName } from "../../protocol/ids.ts";
import type { DrawnCall } from "../domains/trial.ts";
import type { WholeGroup } from "./users.ts";

/** Something that a user asks one node for, until the node has taken it. */
export interface Wish {
  /** Idempotency key. */
  readonly key: string;
  readonly group: WholeGroup;
  readonly node: NodeName;
  /** Stands for the id of the intent in calls that refer to it. */
  readonly standIn: IntentId;
  readonly call: DrawnCall;
  attempts: number;
  /** Why the node has not taken it yet, as far as it said. */
  problem: string | undefined;
  /** The transaction, once the node has told it. */
  id: string | undefined;
  /** The node refused it, or lost it with its disk: nobody waits for it. */
  isOver: boolean;
}
