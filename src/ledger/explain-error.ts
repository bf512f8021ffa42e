import type { LedgerError } from "./errors.ts";
import type { Hex } from "./hex.ts";
import { checksumAddress } from "./ids.ts";

/** One sentence for people: what is wrong, with the values, and what to do next. */
export function explainLedgerError(error: LedgerError): string {
  switch (error.type) {
    case "PrivacyGroupNotAnInstance":
      return "This is the implementation behind the groups, which holds no group itself; use the address of a group that the factory created.";
    case "PrivacyGroupWrongEpoch":
      return `This was endorsed by the committee of epoch ${error.signed}, but the group is in epoch ${error.current}; have it endorsed again by the current committee.`;
    case "PrivacyGroupExpired":
      return `This could happen until block ${error.validUntil}, and block ${error.blockNumber} is past that; assemble it again with a later validUntil.`;
    case "PrivacyGroupNoIntent":
      return "The transition fulfils no intent; add the id of at least one.";
    case "PrivacyGroupTransitionTooLarge":
      return `The call has ${error.length} bytes, and the ledger takes ${error.lengthMax}; split the transition.`;
    case "PrivacyGroupInputWithoutSuccessor":
      return `Input ${short(error.stateId)} has no output to take over its register; pad outputs with bytes32(0).`;
    case "PrivacyGroupInputsNotAscending":
      return `Input ${short(error.stateId)} stands in the wrong place or shares a register with another; sort inputs by register and have the transition endorsed again.`;
    case "PrivacyGroupIntentFulfilled":
      return `Intent ${short(error.intentId)} was fulfilled before, or stands twice in this transition; look for its IntentFulfilled event before trying again.`;
    case "PrivacyGroupStateNotAvailable":
      return `State ${short(error.stateId)} was never created or is spent; assemble the transition again from the current states.`;
    case "PrivacyGroupRegisterTaken":
      return `The new state ${short(error.stateId)} would open a register that ${short(error.holder)} holds; assemble the transition again with a new salt.`;
    case "PrivacyGroupUnknownSigners":
      return `The signers 0x${error.signers.toString(16)} name somebody beyond the ${error.members} members; read the current committee and pack the signatures again.`;
    case "PrivacyGroupSignatureCount":
      return `There are ${error.signatures} signatures for ${error.signers} signers; send exactly one for each.`;
    case "PrivacyGroupInvalidEndorsement":
      return `Member ${checksumAddress(error.member)} did not sign exactly this${signedBy(error.recovered)}; check chain, group and transition, and ask that member again.`;
    case "PrivacyGroupThresholdNotReached":
      return `${error.signers} members signed, and the group demands ${error.threshold}; collect more endorsements.`;
    case "PrivacyGroupInvalidThreshold":
      return `A threshold of ${error.threshold} does not suit ${error.members} members; choose one from 1 to ${error.members}.`;
    case "PrivacyGroupTooManyMembers":
      return `A committee of ${error.members} is too large; name at most ${error.membersMax} members.`;
    case "PrivacyGroupMembersNotAscending":
      return `Member ${checksumAddress(error.member)} may not follow ${checksumAddress(error.previous)}; name each member once, in ascending order, and not the zero address.`;
    case "PrivacyGroupAlreadyApproved":
      return `${checksumAddress(error.delegate)} has the approval for transition ${short(error.transitionHash)} already; go on to execute it.`;
    case "PrivacyGroupNotApproved":
      return `${checksumAddress(error.caller)} has no approval for transition ${short(error.transitionHash)}; call from the approved delegate, or have this one approved.`;
    case "PrivacyGroupExternalCallsDisabled":
      return "This group was created without external calls, which is for ever; leave calls empty, or create a group that allows them.";
    case "ReentrancyGuardReentrantCall":
      return "A contract that the group called tried to call back into the group; let it act in a transaction of its own.";
    case "ExternalCallWithoutCode":
      return `There is no contract at ${checksumAddress(error.target)}; check the address and the network.`;
    case "ExternalCallGasTooLow":
      return `Call ${error.index} must get ${error.gasMin} gas, and ${error.available} was left for it; send the transaction again with more gas.`;
    case "ExternalCallFailed":
      return `Call ${error.index} to ${checksumAddress(error.target)} failed, so nothing happened: ${explainLedgerError(error.cause)}`;
    case "PrivacyGroupFactoryGroupExists":
      return `The same account created the same group before, at ${checksumAddress(error.group)}; use that one, or another salt.`;
    case "AtomWithoutCalls":
      return "An atom must make a call; add at least one.";
    case "AtomAlreadyExecuted":
      return `These calls were made before, by atom ${checksumAddress(error.atom)}; use another salt to make them again.`;
    case "AtomNotFactory":
      return `Only its factory may run an atom, not ${checksumAddress(error.caller)}; call execute on the factory.`;
    case "CloneArgumentsTooLong":
      return "The committee is too large to be stored as code; name fewer members.";
    case "Create2EmptyBytecode":
      return "The factory has nothing to deploy; deploy the factory again from an intact build.";
    case "FailedDeployment":
      return "The chain refused to create the contract; send more gas, or choose another salt.";
    case "InsufficientBalance":
      return `The contract holds ${error.balance} wei of ${error.needed} needed; send no value with this call.`;
    case "InvalidShortString":
    case "StringTooLong":
      return "The EIP-712 name of the contract is damaged; deploy it again from an intact build.";
    case "Error":
      return `The contract said ${JSON.stringify(clip(error.message))}; look there for the cause.`;
    case "Panic":
      return `The contract ran into a bug (panic 0x${error.code.toString(16)}); report it with the transaction.`;
    case "NoReason":
      return "The call reverted without a reason; check that the address holds the right contract and that there is enough gas.";
    case "Unknown":
      return `The call reverted with ${clip(error.data)}, which is no error of the ledger; decode it with the ABI of the contract called.`;
  }
}

const TEXT_CHARACTERS_MAX = 200;

function short(hash: Hex): string {
  return `${hash.slice(0, 10)}…${hash.slice(-4)}`;
}

function clip(text: string): string {
  return text.length <= TEXT_CHARACTERS_MAX
    ? text
    : `${text.slice(0, TEXT_CHARACTERS_MAX)}…`;
}

function signedBy(recovered: Parameters<typeof checksumAddress>[0]): string {
  return /^0x0+$/.test(recovered)
    ? ""
    : ` (${checksumAddress(recovered)} signed something)`;
}
