import type { Table } from "../machine.ts";
import type { Turn } from "../turn.ts";
import { follow, loseTrack } from "./actions.ts";
import { dropAssembly } from "./assembly.ts";
import { delegate, stopDelegating } from "./delegation.ts";
import { failDependants } from "./dependencies.ts";
import { hasOpenTransactions, hearsNoCoordinator } from "./guards.ts";
import type { Sender, SenderEvent, SenderState } from "./model.ts";

/** Something that may decide who coordinates, or let a delegation go out. */
const delegating = [{ to: "Sending", run: [delegate] }] as const;

/** The node as a sender. The diagram in docs/state-machines.md is printed from this table. */
export const senderTable: Table<SenderState, Sender, SenderEvent, Turn> = {
  Idle: {
    HeartbeatReceived: [{ to: "Observing", run: [follow] }],
    TransactionCreated: [{ to: "Sending" }],
    TransactionResumed: [{ to: "Sending" }],
    TransactionsFailed: [{ to: "Idle", run: [failDependants] }],
    TickPassed: [{ to: "Idle", run: [dropAssembly] }],
  },
  Observing: {
    HeartbeatReceived: [{ to: "Observing", run: [follow] }],
    HeartbeatInterval: [
      { to: "Idle", when: hearsNoCoordinator, run: [loseTrack] },
    ],
    TransactionCreated: [{ to: "Sending" }],
    TransactionResumed: [{ to: "Sending" }],
    TransactionsFailed: [{ to: "Observing", run: [failDependants] }],
    TickPassed: [{ to: "Observing", run: [dropAssembly] }],
  },
  Sending: {
    HeartbeatReceived: [{ to: "Sending", run: [follow] }],
    TransactionsFailed: [{ to: "Sending", run: [failDependants] }],
    TransactionEnded: [
      { to: "Sending", when: hasOpenTransactions, run: [dropAssembly] },
      { to: "Observing", run: [dropAssembly, stopDelegating] },
    ],
    TransactionRested: [
      { to: "Sending", when: hasOpenTransactions },
      { to: "Observing", run: [stopDelegating] },
    ],
    TickPassed: [{ to: "Sending", run: [dropAssembly, delegate] }],
    LedgerMoved: delegating,
    CoordinatorKnown: delegating,
    DelegationAnswered: delegating,
    DelegationEnded: delegating,
    TransactionQueued: delegating,
  },
};
