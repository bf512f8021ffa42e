import type { Table } from "../machine.ts";
import type { Turn } from "../turn.ts";
import { follow, loseTrack } from "./actions.ts";
import { hasOpenTransactions } from "./guards.ts";
import type { Sender, SenderEvent, SenderState } from "./model.ts";

/** The node as a sender. The diagram in docs/state-machines.md is printed from this table. */
export const senderTable: Table<SenderState, Sender, SenderEvent, Turn> = {
  Idle: {
    HeartbeatReceived: [{ to: "Observing", run: [follow] }],
    TransactionCreated: [{ to: "Sending" }],
  },
  Observing: {
    HeartbeatReceived: [{ to: "Observing", run: [follow] }],
    HeartbeatInterval: [{ to: "Idle", run: [loseTrack] }],
    TransactionCreated: [{ to: "Sending" }],
  },
  Sending: {
    HeartbeatReceived: [{ to: "Sending", run: [follow] }],
    TransactionConfirmed: [
      { to: "Sending", when: hasOpenTransactions },
      { to: "Observing" },
    ],
  },
};
