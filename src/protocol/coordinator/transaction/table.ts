import { impossible, type Table } from "../../machine.ts";
import type { Turn } from "../../turn.ts";
import {
  addStep,
  backOff,
  end,
  fall,
  giveBack,
  noteRequest,
  pool,
  remove,
} from "./actions.ts";
import {
  hasFailedTooOften,
  hasUnassembledDependencies,
  isInFront,
  isPrepareOnly,
} from "./guards.ts";
import type {
  CoordinatorTransaction,
  CoordinatorTransactionEvent,
  CoordinatorTransactionState,
} from "./model.ts";

/** Confirmed on the ledger, no matter who submitted it. */
const confirmed = [{ to: "Confirmed", run: [end] }] as const;

/** It falls, and so does whatever was built on it; it is assembled again. */
const again = [
  { to: "PreAssembly_Blocked", when: hasUnassembledDependencies, run: [fall] },
  { to: "Pooled", run: [fall, pool] },
] as const;

/** The same, after a while. */
const later = [{ to: "Pooled", run: [fall, backOff, pool] }] as const;

/** The sender takes it away. */
const withdrawn = [{ to: "Final", run: [fall, remove] }] as const;

/** It is being dispatched, all in one step. */
const notBetween = impossible("it is dispatched in the same step");
const undivided = {
  Withdrawn: notBetween,
  Unbundled: notBetween,
  DependencyReverted: notBetween,
  Confirmed: notBetween,
  ConfirmedReverted: notBetween,
} as const;

/** What was dispatched cannot be changed. */
const notAgain = impossible("it is dispatched, and stays as it is");
const unchangeable = {
  AssembleRequestSent: notAgain,
  Assemble_Success: notAgain,
  Endorsed: notAgain,
  Unbundled: notAgain,
  DispatchConfirmed: notAgain,
  Collected: notAgain,
} as const;

const notHere = impossible("it is forgotten");

/** A transaction, as its coordinator sees it. The diagram in docs/state-machines.md is printed from this table. */
export const coordinatorTransactionTable: Table<
  CoordinatorTransactionState,
  CoordinatorTransaction,
  CoordinatorTransactionEvent,
  Turn
> = {
  Initial: {
    Received: [
      { to: "PreAssembly_Blocked", when: hasUnassembledDependencies },
      { to: "Pooled", run: [pool] },
    ],
  },
  PreAssembly_Blocked: {
    AssembleRequestSent: [{ to: "Assembling", run: [noteRequest] }],
    DependencyAssembled: [
      { to: "PreAssembly_Blocked", when: hasUnassembledDependencies },
      { to: "Pooled", run: [pool] },
    ],
    Withdrawn: withdrawn,
    Confirmed: confirmed,
  },
  Pooled: {
    AssembleRequestSent: [{ to: "Assembling", run: [noteRequest] }],
    DependencyReverted: [
      { to: "PreAssembly_Blocked", when: hasUnassembledDependencies },
    ],
    Withdrawn: withdrawn,
    Confirmed: confirmed,
  },
  Assembling: {
    Assemble_Success: [
      { to: "PreAssembly_Blocked", when: hasUnassembledDependencies },
      { to: "Endorsement_Gathering", run: [addStep] },
    ],
    Assemble_Revert_Response: [{ to: "Reverted", run: [end] }],
    Assemble_Error: [
      {
        to: "PreAssembly_Blocked",
        when: hasUnassembledDependencies,
        run: [backOff],
      },
      { to: "Pooled", run: [backOff, pool] },
    ],
    // It is built on nothing yet: what fell is something that it follows.
    DependencyReverted: [{ to: "PreAssembly_Blocked" }],
    Withdrawn: withdrawn,
    Confirmed: confirmed,
  },
  Endorsement_Gathering: {
    Endorsed: [
      { to: "Prepared", when: isPrepareOnly },
      { to: "Confirming_Dispatch", when: isInFront },
      { to: "Blocked" },
    ],
    EndorsedRejected: [
      { to: "Final", when: hasFailedTooOften, run: [fall, giveBack, remove] },
      ...later,
    ],
    Unbundled: [{ to: "Endorsement_Gathering" }],
    DependencyReverted: again,
    Withdrawn: withdrawn,
    Confirmed: confirmed,
  },
  Blocked: {
    DependencyReady: [{ to: "Confirming_Dispatch" }],
    Unbundled: [{ to: "Endorsement_Gathering" }],
    DependencyReverted: again,
    Withdrawn: withdrawn,
  },
  Confirming_Dispatch: {
    DispatchConfirmed: [{ to: "Ready_For_Dispatch" }],
    DispatchConfirmationRejected: withdrawn,
    Unbundled: [{ to: "Endorsement_Gathering" }],
    DependencyReverted: again,
    Withdrawn: withdrawn,
  },
  Prepared: {
    Taken: withdrawn,
    DispatchConfirmationRejected: withdrawn,
    Unbundled: [{ to: "Endorsement_Gathering" }],
    // Nothing that it follows is in flight: somebody took what it spends.
    DependencyReverted: [{ to: "Pooled", run: [fall, pool] }],
    Withdrawn: withdrawn,
  },
  Ready_For_Dispatch: {
    ...undivided,
    Collected: [{ to: "Dispatched" }],
  },
  Dispatched: {
    ...unchangeable,
    NonceAllocated: [{ to: "Sequenced" }],
    Submitted: [{ to: "Submitted" }],
    Confirmed: confirmed,
    ConfirmedReverted: [{ to: "Final", run: [fall, remove] }],
  },
  Sequenced: {
    ...unchangeable,
    Submitted: [{ to: "Submitted" }],
    Confirmed: confirmed,
    ConfirmedReverted: [{ to: "Final", run: [fall, remove] }],
  },
  Submitted: {
    ...unchangeable,
    Submitted: [{ to: "Submitted" }],
    Confirmed: confirmed,
    ConfirmedReverted: [{ to: "Final", run: [fall, remove] }],
  },
  Reverted: {
    EndReported: [{ to: "Final", run: [remove] }],
  },
  Confirmed: {
    EndReported: [{ to: "Final", run: [remove] }],
    FulfilmentUndone: [{ to: "Final", run: [remove] }],
  },
  Final: {
    AssembleRequestSent: notHere,
    Assemble_Success: notHere,
    DispatchConfirmed: notHere,
    Collected: notHere,
  },
};
