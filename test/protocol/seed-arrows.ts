/**
 * The arrows of the specification that the machines implement, and where ours differ, why.
 * `A --> B : Event`, in the specification's own words; `renamed` maps them to ours.
 */
export interface SpecifiedMachine {
  readonly arrows: readonly (readonly [
    from: string,
    to: string,
    event: string,
  ])[];
  /** Arrows that ours does not have, with the decision that says why. */
  readonly departures: Readonly<Record<string, string>>;
  /** Events that ours names more precisely. */
  readonly renamed: Readonly<Record<string, string>>;
}

export const specified = {
  sender: {
    arrows: [
      ["Idle", "Observing", "HeartbeatReceived"],
      ["Idle", "Sending", "TransactionCreated"],
      ["Observing", "Idle", "HeartbeatInterval"],
      ["Observing", "Sending", "TransactionCreated"],
      ["Sending", "Observing", "TransactionConfirmed"],
    ],
    departures: {},
    renamed: { TransactionConfirmed: "TransactionEnded" },
  },
  senderTransaction: {
    arrows: [
      ["Initial", "Pending", "Created"],
      ["Pending", "Delegated", "Delegated"],
      ["Delegated", "Assembling", "AssembleRequestReceived"],
      ["Assembling", "EndorsementGathering", "AssembleAndSignSuccess"],
      ["Assembling", "Reverted", "AssembleRevert"],
      ["Assembling", "Parked", "AssemblePark"],
      ["Assembling", "Delegated", "CoordinatorChanged"],
      ["EndorsementGathering", "Assembling", "AssembleRequestReceived"],
      ["EndorsementGathering", "Delegated", "CoordinatorChanged"],
      [
        "EndorsementGathering",
        "Prepared",
        "DispatchConfirmationRequestReceived",
      ],
      ["Prepared", "Dispatched", "Dispatched"],
      ["Prepared", "Delegated", "CoordinatorChanged"],
      ["Dispatched", "Confirmed", "ConfirmedSuccess"],
      ["Dispatched", "Delegated", "ConfirmedReverted"],
      ["Dispatched", "Submitted", "Submitted"],
      ["Dispatched", "Delegated", "CoordinatorChanged"],
      ["Dispatched", "Sequenced", "NonceAssigned"],
      ["Sequenced", "Confirmed", "ConfirmedSuccess"],
      ["Sequenced", "Delegated", "ConfirmedReverted"],
      ["Sequenced", "Delegated", "CoordinatorChanged"],
      ["Sequenced", "Submitted", "Submitted"],
      ["Submitted", "Confirmed", "ConfirmedSuccess"],
      ["Submitted", "Delegated", "ConfirmedReverted"],
      ["Submitted", "Delegated", "CoordinatorChanged"],
      ["Parked", "Pending", "Resumed"],
    ],
    departures: {
      "Prepared --> Delegated : CoordinatorChanged":
        "0008-a-permission-binds-the-sender.md",
      "Dispatched --> Delegated : CoordinatorChanged":
        "0009-dispatched-is-never-clawed-back.md",
      "Sequenced --> Delegated : CoordinatorChanged":
        "0009-dispatched-is-never-clawed-back.md",
      "Submitted --> Delegated : CoordinatorChanged":
        "0009-dispatched-is-never-clawed-back.md",
    },
    renamed: {},
  },
  coordinator: {
    arrows: [
      ["Idle", "Active", "TransactionsDelegated"],
      ["Idle", "Observing", "HeartbeatReceived"],
      ["Observing", "Standby", "TransactionsDelegated"],
      ["Observing", "Elect", "TransactionsDelegated"],
      ["Standby", "Elect", "NewBlock"],
      ["Elect", "Prepared", "HandoverReceived"],
      ["Prepared", "Active", "TransactionConfirmed"],
      ["Active", "Idle", "TransactionConfirmed"],
      ["Active", "Flush", "HandoverRequestReceived"],
      ["Flush", "Closing", "TransactionConfirmed"],
      ["Closing", "Idle", "HeartbeatInterval"],
    ],
    departures: {},
    // A coordinator learns from blocks what is confirmed.
    renamed: { TransactionConfirmed: "NewBlock" },
  },
  coordinatorTransaction: {
    arrows: [
      ["Initial", "Pooled", "Received"],
      ["Initial", "PreAssembly_Blocked", "Received"],
      ["PreAssembly_Blocked", "Pooled", "DependencyAssembled"],
      ["Pooled", "Assembling", "AssembleRequestSent"],
      ["Pooled", "PreAssembly_Blocked", "DependencyReverted"],
      ["Assembling", "Endorsement_Gathering", "Assemble_Success"],
      ["Assembling", "Assembling", "RequestTimeoutInterval"],
      ["Assembling", "Pooled", "RequestTimeoutInterval"],
      ["Assembling", "Reverted", "Assemble_Revert_Response"],
      ["Endorsement_Gathering", "Confirming_Dispatch", "Endorsed"],
      ["Endorsement_Gathering", "Blocked", "Endorsed"],
      ["Endorsement_Gathering", "Pooled", "Rejected"],
      [
        "Endorsement_Gathering",
        "Endorsement_Gathering",
        "RequestTimeoutInterval",
      ],
      ["Blocked", "Confirming_Dispatch", "DependencyReady"],
      ["Confirming_Dispatch", "Ready_For_Dispatch", "DispatchConfirmed"],
      ["Confirming_Dispatch", "Confirming_Dispatch", "RequestTimeoutInterval"],
      ["Confirming_Dispatch", "Final", "DispatchConfirmationRejected"],
      ["Ready_For_Dispatch", "Dispatched", "Collected"],
      ["Dispatched", "Submitted", "Submitted"],
      ["Submitted", "Confirmed", "Confirmed"],
      ["Submitted", "Pooled", "Confirmed"],
      ["Reverted", "Final", "HeartbeatInterval"],
      ["Confirmed", "Final", "HeartbeatInterval"],
    ],
    departures: {
      "Assembling --> Assembling : RequestTimeoutInterval":
        "0010-requests-and-bundles-have-their-own-clocks.md",
      "Assembling --> Pooled : RequestTimeoutInterval":
        "0010-requests-and-bundles-have-their-own-clocks.md",
      "Endorsement_Gathering --> Endorsement_Gathering : RequestTimeoutInterval":
        "0010-requests-and-bundles-have-their-own-clocks.md",
      "Confirming_Dispatch --> Confirming_Dispatch : RequestTimeoutInterval":
        "0010-requests-and-bundles-have-their-own-clocks.md",
      "Submitted --> Pooled : Confirmed": "0011-senders-retry.md",
    },
    renamed: {
      Rejected: "EndorsedRejected",
      HeartbeatInterval: "EndReported",
    },
  },
} as const satisfies Readonly<Record<string, SpecifiedMachine>>;
