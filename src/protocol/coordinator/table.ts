import { impossible, type Table } from "../machine.ts";
import type { Turn } from "../turn.ts";
import { activate, countBeat, note, rest, returnWork } from "./actions.ts";
import { requestAssemblies } from "./assembly.ts";
import { accept, refuse } from "./delegation.ts";
import { askPermission } from "./dispatch.ts";
import { formBundles, formPreparations } from "./endorsements.ts";
import {
  hasNothingNewToWaitFor,
  hasNothingToWaitFor,
  hasToWaitFor,
  isFlushOver,
  isFlushed,
  isInFlight,
  isPredecessor,
  isPredecessorClosing,
  mayCoordinateAfterFlush,
  mayStartAfterFlush,
  mayStillWaitFor,
} from "./flush-guards.ts";
import {
  hasLostTheRange,
  hasNothingDispatched,
  hasNothingToFlush,
  hasNoWork,
  hasReachedItsRange,
  hearsAnother,
  hearsNobody,
  isAskedByHigher,
  isBusy,
  isClosed,
  isForeign,
  isNextAt,
  isOutrankedBy,
  mayCoordinate,
  mayDelegate,
  mayLeave,
  mayLeaveAtOnce,
  mayStartAtOnce,
  shouldTakeOver,
} from "./guards.ts";
import {
  askForHandover,
  distrust,
  giveWay,
  handOverNothing,
  handOverToFirst,
  handOverToHim,
  keepWaiting,
  noteAsking,
  prepare,
  stepBack,
  succeed,
  verifyContext,
} from "./handover.ts";
import type {
  Coordinator,
  CoordinatorEvent,
  CoordinatorState,
} from "./model.ts";

/** Another coordinator gives the role to this node, with work that is not on the ledger yet. */
const handedOver = [
  { to: "Prepared", when: hasToWaitFor, run: [succeed, prepare] },
] as const;

/** This node was quicker than the handover: what it built without knowing of it is built again. */
const overtaken = [
  {
    to: "Prepared",
    when: mayStillWaitFor,
    run: [succeed, stepBack, prepare],
  },
] as const;

/** A node with a better claim wants the role that this one is about to take up. */
const givenUp = [
  {
    to: "Observing",
    when: isAskedByHigher,
    run: [noteAsking, handOverToHim, giveWay],
  },
] as const;

/** This node is to be stopped, before it has taken the role up: it goes to the next one, with all that is to be waited for. */
const left = [
  { to: "Observing", when: mayLeave, run: [handOverToFirst, giveWay] },
] as const;

/** Something that lets more be assembled, or bundled, while this node may not dispatch yet. */
const assemblingAhead = [{ to: "Prepared", run: [requestAssemblies] }] as const;
const bundlingAhead = [{ to: "Prepared", run: [formBundles] }] as const;
const workingAhead = [
  { to: "Prepared", run: [requestAssemblies, formBundles] },
] as const;

/** The same while it dispatches. */
const assembling = [{ to: "Active", run: [requestAssemblies] }] as const;
const bundling = [
  { to: "Active", run: [formBundles, formPreparations] },
] as const;
const working = [
  { to: "Active", run: [requestAssemblies, formBundles, formPreparations] },
] as const;

/** It waits for no other node. */
const notWaiting = {
  PredecessorSilent: impossible("it waits for no handover and no flush point"),
} as const;

/** The node as a coordinator. The diagram in docs/state-machines.md is printed from this table. */
export const coordinatorTable: Table<
  CoordinatorState,
  Coordinator,
  CoordinatorEvent,
  Turn
> = {
  Idle: {
    ...notWaiting,
    HandoverReceived: handedOver,
    HandoverRequestReceived: [{ to: "Idle", run: [handOverNothing] }],
    TransactionsDelegated: [
      {
        to: "Prepared",
        when: mayCoordinateAfterFlush,
        run: [accept, keepWaiting],
      },
      { to: "Active", when: mayCoordinate, run: [accept, activate] },
      { to: "Standby", when: isNextAt, run: [refuse] },
      { to: "Idle", run: [refuse] },
    ],
    HeartbeatReceived: [
      { to: "Elect", when: shouldTakeOver, run: [note, askForHandover] },
      { to: "Observing", when: isBusy, run: [note] },
      { to: "Idle", when: isForeign, run: [note] },
    ],
  },
  Observing: {
    ...notWaiting,
    HandoverReceived: handedOver,
    HandoverRequestReceived: [{ to: "Observing", run: [handOverNothing] }],
    TransactionsDelegated: [
      { to: "Prepared", when: mayStartAfterFlush, run: [accept, keepWaiting] },
      { to: "Active", when: mayStartAtOnce, run: [accept, activate] },
      { to: "Elect", when: mayCoordinate, run: [accept, askForHandover] },
      { to: "Standby", when: isNextAt, run: [refuse] },
      { to: "Observing", run: [refuse] },
    ],
    HeartbeatReceived: [
      { to: "Elect", when: shouldTakeOver, run: [note, askForHandover] },
      { to: "Observing", when: isForeign, run: [note] },
    ],
    HeartbeatInterval: [{ to: "Idle", when: hearsNobody }],
  },
  Standby: {
    ...notWaiting,
    HandoverReceived: handedOver,
    HandoverRequestReceived: [{ to: "Standby", run: [handOverNothing] }],
    NewBlock: [
      { to: "Elect", when: hasReachedItsRange, run: [askForHandover] },
    ],
    TransactionsDelegated: [
      { to: "Elect", when: mayCoordinate, run: [accept, askForHandover] },
      { to: "Standby", run: [refuse] },
    ],
    HeartbeatReceived: [{ to: "Standby", when: isForeign, run: [note] }],
    HeartbeatInterval: [{ to: "Idle", when: hearsNobody }],
    RoleUnwanted: [{ to: "Observing" }],
  },
  Elect: {
    TransactionsDelegated: [{ to: "Elect", run: [accept] }],
    HandoverReceived: [
      { to: "Active", when: hasNothingToWaitFor, run: [prepare, activate] },
      { to: "Prepared", when: hasNothingNewToWaitFor, run: [keepWaiting] },
      { to: "Prepared", when: isPredecessor, run: [prepare] },
    ],
    HandoverRequestReceived: givenUp,
    HeartbeatReceived: [
      {
        to: "Observing",
        when: isOutrankedBy,
        run: [note, returnWork, giveWay],
      },
      { to: "Elect", when: isForeign, run: [note] },
    ],
    RoleUnwanted: left,
    PredecessorSilent: [
      { to: "Prepared", when: isInFlight, run: [keepWaiting] },
      { to: "Active", run: [activate] },
    ],
  },
  Prepared: {
    TransactionsDelegated: [{ to: "Prepared", run: [accept] }],
    NewBlock: [
      { to: "Active", when: isFlushed, run: [verifyContext, activate] },
      { to: "Active", when: isFlushOver, run: [distrust, activate] },
    ],
    HandoverReceived: [{ to: "Prepared", when: isPredecessor, run: [prepare] }],
    HandoverRequestReceived: givenUp,
    HeartbeatReceived: [
      {
        to: "Active",
        when: isPredecessorClosing,
        run: [note, distrust, activate],
      },
      {
        to: "Observing",
        when: isOutrankedBy,
        run: [note, returnWork, giveWay],
      },
      { to: "Prepared", when: isForeign, run: [note] },
    ],
    RoleUnwanted: left,
    PredecessorSilent: [{ to: "Active", run: [distrust, activate] }],
    RoleTaken: workingAhead,
    TickPassed: workingAhead,
    LedgerMoved: workingAhead,
    TransactionPooled: assemblingAhead,
    AssemblyFinished: workingAhead,
    StepFell: workingAhead,
    StepAssembled: bundlingAhead,
    BundleDissolved: bundlingAhead,
  },
  Active: {
    ...notWaiting,
    TransactionsDelegated: [
      { to: "Active", when: mayDelegate, run: [accept] },
      { to: "Active", run: [refuse] },
    ],
    HandoverReceived: overtaken,
    WorkReturned: [{ to: "Idle", when: hasNoWork, run: [rest] }],
    HeartbeatInterval: [{ to: "Idle", when: hasNoWork, run: [rest] }],
    RoleUnwanted: [
      { to: "Closing", when: mayLeaveAtOnce, run: [handOverToFirst] },
      { to: "Flush", when: mayLeave, run: [handOverToFirst] },
    ],
    HandoverRequestReceived: [
      { to: "Flush", when: isAskedByHigher, run: [handOverToHim] },
    ],
    HeartbeatReceived: [
      { to: "Flush", when: isOutrankedBy, run: [note, handOverToHim] },
      { to: "Active", when: isForeign, run: [note] },
    ],
    NewBlock: [
      { to: "Closing", when: hasNothingToFlush, run: [handOverToFirst] },
      { to: "Flush", when: hasLostTheRange, run: [handOverToFirst] },
      { to: "Idle", when: hasNoWork, run: [rest] },
    ],
    RoleTaken: [
      {
        to: "Active",
        run: [requestAssemblies, formBundles, formPreparations, askPermission],
      },
    ],
    TickPassed: working,
    LedgerMoved: working,
    TransactionPooled: assembling,
    SenderAnswered: assembling,
    AssemblyFinished: working,
    StepFell: working,
    StepAssembled: bundling,
    BundleDispatched: bundling,
    BundleDissolved: bundling,
    BundleEndorsed: [{ to: "Active", run: [askPermission] }],
  },
  Flush: {
    ...notWaiting,
    TransactionsDelegated: [{ to: "Flush", run: [refuse] }],
    NewBlock: [{ to: "Closing", when: hasNothingDispatched }],
    HeartbeatInterval: [{ to: "Closing", when: hasNothingDispatched }],
    HandoverRequestReceived: [{ to: "Flush", run: [handOverToHim] }],
    HeartbeatReceived: [{ to: "Flush", when: isForeign, run: [note] }],
  },
  Closing: {
    ...notWaiting,
    HandoverReceived: handedOver,
    TransactionsDelegated: [
      { to: "Active", when: mayStartAtOnce, run: [accept, activate] },
      { to: "Elect", when: mayCoordinate, run: [accept, askForHandover] },
      { to: "Closing", run: [refuse] },
    ],
    HandoverRequestReceived: [{ to: "Closing", run: [handOverToHim] }],
    HeartbeatReceived: [{ to: "Closing", when: isForeign, run: [note] }],
    HeartbeatInterval: [
      { to: "Observing", when: hearsAnother, run: [rest] },
      { to: "Idle", when: isClosed, run: [rest] },
      { to: "Closing", run: [countBeat] },
    ],
  },
};
