import type { Hex } from "./hex.ts";
import type { Address, IntentId, StateId, TransitionHash } from "./ids.ts";

/** Why the ledger refused a call: every error of every contract, with its arguments under their own names. */
export type LedgerError =
  // The group
  | { readonly type: "PrivacyGroupNotAnInstance" }
  | {
      readonly type: "PrivacyGroupWrongEpoch";
      readonly signed: bigint;
      readonly current: bigint;
    }
  | {
      readonly type: "PrivacyGroupExpired";
      readonly validUntil: bigint;
      readonly blockNumber: bigint;
    }
  | { readonly type: "PrivacyGroupNoIntent" }
  | {
      readonly type: "PrivacyGroupTransitionTooLarge";
      readonly length: bigint;
      readonly lengthMax: bigint;
    }
  | {
      readonly type: "PrivacyGroupInputWithoutSuccessor";
      readonly stateId: StateId;
    }
  | {
      readonly type: "PrivacyGroupInputsNotAscending";
      readonly stateId: StateId;
    }
  | {
      readonly type: "PrivacyGroupIntentFulfilled";
      readonly intentId: IntentId;
    }
  | {
      readonly type: "PrivacyGroupStateNotAvailable";
      readonly stateId: StateId;
    }
  | {
      readonly type: "PrivacyGroupRegisterTaken";
      readonly stateId: StateId;
      readonly holder: StateId;
    }
  | {
      readonly type: "PrivacyGroupUnknownSigners";
      readonly signers: bigint;
      readonly members: bigint;
    }
  | {
      readonly type: "PrivacyGroupSignatureCount";
      readonly signatures: bigint;
      readonly signers: bigint;
    }
  | {
      readonly type: "PrivacyGroupInvalidEndorsement";
      readonly member: Address;
      readonly recovered: Address;
    }
  | {
      readonly type: "PrivacyGroupThresholdNotReached";
      readonly signers: bigint;
      readonly threshold: bigint;
    }
  | {
      readonly type: "PrivacyGroupInvalidThreshold";
      readonly threshold: bigint;
      readonly members: bigint;
    }
  | {
      readonly type: "PrivacyGroupTooManyMembers";
      readonly members: bigint;
      readonly membersMax: bigint;
    }
  | {
      readonly type: "PrivacyGroupMembersNotAscending";
      readonly previous: Address;
      readonly member: Address;
    }
  | {
      readonly type: "PrivacyGroupAlreadyApproved";
      readonly transitionHash: TransitionHash;
      readonly delegate: Address;
    }
  | {
      readonly type: "PrivacyGroupNotApproved";
      readonly transitionHash: TransitionHash;
      readonly caller: Address;
    }
  | { readonly type: "PrivacyGroupExternalCallsDisabled" }
  | { readonly type: "ReentrancyGuardReentrantCall" }
  // External calls; `cause` is what `reason` says
  | { readonly type: "ExternalCallWithoutCode"; readonly target: Address }
  | {
      readonly type: "ExternalCallGasTooLow";
      readonly index: bigint;
      readonly gasMin: bigint;
      readonly available: bigint;
    }
  | {
      readonly type: "ExternalCallFailed";
      readonly index: bigint;
      readonly target: Address;
      readonly reason: Hex;
      readonly cause: LedgerError;
    }
  // The factories
  | { readonly type: "PrivacyGroupFactoryGroupExists"; readonly group: Address }
  | { readonly type: "AtomWithoutCalls" }
  | { readonly type: "AtomAlreadyExecuted"; readonly atom: Address }
  | { readonly type: "AtomNotFactory"; readonly caller: Address }
  // Libraries of OpenZeppelin
  | { readonly type: "CloneArgumentsTooLong" }
  | { readonly type: "Create2EmptyBytecode" }
  | { readonly type: "FailedDeployment" }
  | {
      readonly type: "InsufficientBalance";
      readonly balance: bigint;
      readonly needed: bigint;
    }
  | { readonly type: "InvalidShortString" }
  | { readonly type: "StringTooLong"; readonly str: string }
  // Solidity itself, and what is left
  | { readonly type: "Error"; readonly message: string }
  | { readonly type: "Panic"; readonly code: bigint }
  | { readonly type: "NoReason" }
  | { readonly type: "Unknown"; readonly data: Hex };

export type LedgerErrorType = LedgerError["type"];

/** The error with a given type. */
export type LedgerErrorOf<Type extends LedgerErrorType> = Extract<
  LedgerError,
  { readonly type: Type }
>;
