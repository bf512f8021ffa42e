import { impossible, type Table } from "../../machine.ts";
import type { Turn } from "../../turn.ts";
import {
  awaitProof,
  confirm,
  doom,
  dropStep,
  handToUser,
  keepStep,
  lapse,
  noteDelegate,
  noteDispatch,
  park,
  permit,
  postpone,
  queue,
  reopen,
  retryError,
  retryLater,
  revert,
  save,
  unpark,
} from "./actions.ts";
import {
  hasExpiredPermission,
  hasLivePermission,
  hasNoLiveStep,
  isDoomedAndSafe,
  mayRetry,
} from "./guards.ts";
import type {
  SenderTransaction,
  SenderTransactionEvent,
  SenderTransactionState,
} from "./model.ts";

/** The ledger has its id: in a bundle with its own step, or in one of which this node does not know that. */
const fulfilled = {
  ConfirmedSuccess: [{ to: "Confirmed", run: [confirm] }],
  FulfilledUnseen: [{ to: "Unproven", run: [awaitProof] }],
} as const;

/** Its coordinator says that it failed, or the last block of its permission has passed. */
const failed = [
  { to: "Delegated", when: mayRetry, run: [retryLater] },
  { to: "Reverted", when: hasNoLiveStep, run: [revert] },
  { to: "Pending", run: [doom] },
] as const;

/** The same while a permission is live. One that is not moves the transaction out of this state with its last block. */
const failedWhilePermitted = [
  { to: "Delegated", when: mayRetry, run: [retryLater] },
  { to: "Pending", run: [doom] },
] as const;

/** The domain says that the intent can never succeed. */
const invalid = [
  { to: "Reverted", when: hasNoLiveStep, run: [revert] },
  { to: "Pending", run: [doom] },
] as const;

/** A coordinator used the permission that it was given, perhaps after it seemed to have gone. */
const dispatched = [
  { to: "Dispatched", when: hasLivePermission, run: [noteDispatch] },
] as const;

/** The coordinator has it no longer, and it was not dispatched. */
const again = [{ to: "Delegated", run: [dropStep, queue] }] as const;

/** Its coordinator says that it is dispatched. */
const notAgain = impossible("it is dispatched");
const unchangeable = {
  Delegated: notAgain,
  AssembleRequestReceived: notAgain,
} as const;

/** It has ended, and its receipt is final. */
const forgotten = impossible("it has ended, and is forgotten");
const over = {
  Created: forgotten,
  Delegated: forgotten,
  AssembleRequestReceived: forgotten,
  DispatchConfirmationRequestReceived: forgotten,
  ConfirmedSuccess: forgotten,
  FulfilledUnseen: forgotten,
  ConfirmedReverted: forgotten,
  Resumed: forgotten,
} as const;

/** A transaction, as its sender sees it. The diagram in docs/state-machines.md is printed from this table. */
export const senderTransactionTable: Table<
  SenderTransactionState,
  SenderTransaction,
  SenderTransactionEvent,
  Turn
> = {
  Initial: {
    Created: [{ to: "Pending", run: [save, queue] }],
  },
  Pending: {
    Delegated: [{ to: "Delegated", run: [noteDelegate] }],
    DependencyReverted: invalid,
    MembershipLost: invalid,
    DependencyDoubted: [{ to: "Parked", run: [park] }],
    PermissionExpired: [
      { to: "Reverted", when: isDoomedAndSafe, run: [revert] },
    ],
    ...fulfilled,
  },
  Delegated: {
    Delegated: [{ to: "Delegated", run: [noteDelegate] }],
    AssembleRequestReceived: [{ to: "Assembling" }],
    Dispatched: dispatched,
    CoordinatorChanged: again,
    Released: again,
    DependencyReverted: invalid,
    ...fulfilled,
  },
  Assembling: {
    AssembleRequestReceived: [{ to: "Assembling" }],
    AssembleAndSignSuccess: [{ to: "EndorsementGathering", run: [keepStep] }],
    AssembleRevert: invalid,
    AssemblePark: [{ to: "Parked", run: [park] }],
    AssembleError: [{ to: "Delegated", run: [retryError] }],
    AssembleDeferred: [{ to: "Delegated" }],
    AssemblePostpone: [{ to: "Delegated", run: [postpone] }],
    Dispatched: dispatched,
    CoordinatorChanged: again,
    Released: again,
    DependencyReverted: invalid,
    ...fulfilled,
  },
  EndorsementGathering: {
    AssembleRequestReceived: [{ to: "Assembling", run: [dropStep] }],
    DispatchConfirmationRequestReceived: [{ to: "Prepared", run: [permit] }],
    EndorsementRefused: failed,
    PreparedReceived: [{ to: "PreparedForUser", run: [handToUser] }],
    Dispatched: dispatched,
    CoordinatorChanged: again,
    Released: again,
    DependencyReverted: invalid,
    ...fulfilled,
  },
  Prepared: {
    AssembleRequestReceived: [{ to: "Assembling", run: [dropStep] }],
    DispatchConfirmationRequestReceived: [{ to: "Prepared", run: [permit] }],
    Dispatched: dispatched,
    Released: again,
    PermissionExpired: [
      { to: "Delegated", when: hasExpiredPermission, run: [dropStep, queue] },
    ],
    DependencyReverted: invalid,
    ...fulfilled,
    ConfirmedReverted: failedWhilePermitted,
  },
  Dispatched: {
    ...unchangeable,
    NonceAssigned: [{ to: "Sequenced" }],
    Submitted: [{ to: "Submitted" }],
    DependencyReverted: invalid,
    ...fulfilled,
    ConfirmedReverted: failed,
  },
  Sequenced: {
    ...unchangeable,
    Submitted: [{ to: "Submitted" }],
    DependencyReverted: invalid,
    ...fulfilled,
    ConfirmedReverted: failed,
  },
  Submitted: {
    ...unchangeable,
    DependencyReverted: invalid,
    ...fulfilled,
    ConfirmedReverted: failed,
  },
  Unproven: {
    ConfirmedSuccess: fulfilled.ConfirmedSuccess,
    FulfilledByOther: [{ to: "Reverted", run: [revert] }],
    FulfilmentUndone: [{ to: "Pending", run: [reopen] }],
  },
  Confirmed: over,
  Reverted: over,
  Parked: {
    Dispatched: dispatched,
    DependencyReverted: invalid,
    MembershipLost: invalid,
    Resumed: [{ to: "Pending", run: [unpark] }],
    ...fulfilled,
  },
  PreparedForUser: {
    ...fulfilled,
    PermissionExpired: [{ to: "Lapsed", run: [lapse] }],
  },
  Lapsed: over,
};
