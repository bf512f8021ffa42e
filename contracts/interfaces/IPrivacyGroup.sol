// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IExternalCalls } from "./IExternalCalls.sol";

/// @title The ledger of one privacy group
/// @notice Private states live off-chain; this contract holds their ids and guarantees four things: no state is
/// spent twice; no intent is fulfilled twice; nothing changes without endorsements by at least `threshold` distinct
/// members over exactly what happens; and the events alone rebuild everything the contract knows.
///
/// Who calls is irrelevant: every outcome follows from what the members signed. Whoever calls also chooses the gas; too
/// little of it makes the whole call fail, and external calls have a minimum that the members signed.
interface IPrivacyGroup is IExternalCalls {
    // ---------------------------------------------------------------------------------------------------- types

    /// @notice What happens, as the endorsers sign it: one or more intents fulfilled at once, by their net effect.
    ///
    /// Every output gets the id `keccak256(abi.encode(intentsHash, index, commitment))`, where `intentsHash` is
    /// `keccak256(abi.encodePacked(intents))`. The upper 64 bits of an id name the *register*, the storage slot, in
    /// which it lives. Output `i` replaces input `i` in its register, and so takes over the upper 64 bits of the
    /// input's id; an output beyond the last input opens a register of its own and keeps its hash unchanged.
    ///
    /// A transition with fewer results than inputs pads `outputs` with `bytes32(0)`. Such an output is a *vacancy*: a
    /// state without content, which a later transition may name as an input to use its register again.
    /// @param epoch The epoch of the committee that endorses this.
    /// @param intents The intents this fulfils. Any 32 bytes; each at most once for ever.
    /// @param inputs Ids of the states spent, in ascending order of their registers.
    /// @param reads Ids of states that must be unspent before this happens. They stay unspent unless they are inputs.
    /// @param outputs Commitments of the states created, at least as many as there are inputs.
    /// @param details Commitment to whatever else the endorsers checked: the private steps, the info states.
    /// @param validUntil The last block in which this can happen; 0 means no limit.
    /// @param calls What to call afterwards; empty unless the group was created to allow it.
    struct Transition {
        uint64 epoch;
        bytes32[] intents;
        bytes32[] inputs;
        bytes32[] reads;
        bytes32[] outputs;
        bytes32 details;
        uint64 validUntil;
        ExternalCall[] calls;
    }

    /// @notice A new committee, as the members of the old one sign it.
    /// @param epoch The epoch that this ends. The new one is the next number.
    /// @param members Addresses that endorse from then on, strictly ascending.
    /// @param threshold How many of them must sign.
    /// @param validUntil The last block in which this can happen; 0 means no limit.
    struct CommitteeChange {
        uint64 epoch;
        address[] members;
        uint8 threshold;
        uint64 validUntil;
    }

    /// @notice A compact signature (EIP-2098).
    struct Signature {
        bytes32 r;
        bytes32 vs;
    }

    /// @notice Signatures by members of the current committee.
    /// @param signers Bit `i` is set when member `i` signed. Bits make the signers distinct by construction.
    /// @param signatures One for each bit set, lowest bit first.
    struct Endorsements {
        uint256 signers;
        Signature[] signatures;
    }

    // --------------------------------------------------------------------------------------------------- events

    /// @notice An intent was fulfilled. The `Transitioned` event of the transition that did it follows in the same
    /// transaction, after the other intents of that transition.
    event IntentFulfilled(bytes32 indexed intentId);

    /// @notice A transition happened.
    /// @param transitionHash The EIP-712 struct hash of the transition.
    /// @param inputs Ids of the states that are spent now.
    /// @param outputs Ids (not commitments) of the states that are unspent now.
    event Transitioned(bytes32 indexed transitionHash, bytes32[] inputs, bytes32[] outputs);

    /// @notice The members approved a transition for a delegate.
    event TransitionApproved(bytes32 indexed transitionHash, address indexed delegate);

    /// @notice The committee was replaced.
    event CommitteeChanged(uint64 indexed epoch, address[] members, uint8 threshold);

    // --------------------------------------------------------------------------------------------------- errors

    /// @notice The implementation behind the clones holds no group.
    error PrivacyGroupNotAnInstance();

    /// @notice What was signed belongs to another epoch of the committee. Have it endorsed again.
    error PrivacyGroupWrongEpoch(uint64 signed, uint64 current);

    /// @notice The last block in which this could happen has passed.
    error PrivacyGroupExpired(uint64 validUntil, uint256 blockNumber);

    /// @notice A transition must fulfil an intent.
    error PrivacyGroupNoIntent();

    /// @notice The call carries more bytes than one transition may have.
    error PrivacyGroupTransitionTooLarge(uint256 length, uint256 lengthMax);

    /// @notice An input has no output to take over its register. Pad `outputs` with `bytes32(0)`.
    error PrivacyGroupInputWithoutSuccessor(bytes32 stateId);

    /// @notice Inputs must be in ascending order of their registers; two inputs never share one.
    error PrivacyGroupInputsNotAscending(bytes32 stateId);

    /// @notice This intent was fulfilled before, or stands twice in this transition.
    error PrivacyGroupIntentFulfilled(bytes32 intentId);

    /// @notice This state was never created, or is spent.
    error PrivacyGroupStateNotAvailable(bytes32 stateId);

    /// @notice The register that this new state would open holds another one. Assemble it again with a new salt.
    error PrivacyGroupRegisterTaken(bytes32 stateId, bytes32 holder);

    /// @notice A bit in `signers` stands for nobody.
    error PrivacyGroupUnknownSigners(uint256 signers, uint256 members);

    /// @notice There must be exactly one signature for each signer.
    error PrivacyGroupSignatureCount(uint256 signatures, uint256 signers);

    /// @notice This member did not sign this. `recovered` is who signed something, or zero for a malformed signature.
    error PrivacyGroupInvalidEndorsement(address member, address recovered);

    /// @notice Fewer signers than the group demands.
    error PrivacyGroupThresholdNotReached(uint256 signers, uint256 threshold);

    /// @notice The threshold must be between 1 and the number of members.
    error PrivacyGroupInvalidThreshold(uint256 threshold, uint256 members);

    /// @notice A committee has at most 255 members.
    error PrivacyGroupTooManyMembers(uint256 members, uint256 membersMax);

    /// @notice Members must be strictly ascending, which also rules out the zero address and duplicates.
    error PrivacyGroupMembersNotAscending(address previous, address member);

    /// @notice This delegate has that approval already.
    error PrivacyGroupAlreadyApproved(bytes32 transitionHash, address delegate);

    /// @notice The caller has no approval for this transition.
    error PrivacyGroupNotApproved(bytes32 transitionHash, address caller);

    /// @notice This group was created without external calls.
    error PrivacyGroupExternalCallsDisabled();

    // ------------------------------------------------------------------------------------------------ functions

    /// @notice Carry out a transition that the members endorsed.
    /// @param transition What happens.
    /// @param endorsements Signatures over the EIP-712 struct `Transition`.
    function execute(Transition calldata transition, Endorsements calldata endorsements) external;

    /// @notice Record that the members let `delegate` carry out a transition, once, when it sees fit: for example a
    /// contract that carries out transitions of several groups, all or none.
    /// @param transition What the delegate may do.
    /// @param delegate Who may do it. Several delegates may be approved; still only one can succeed, once.
    /// @param endorsements Signatures over the EIP-712 struct `Approval(address delegate,Transition transition)`.
    function approve(Transition calldata transition, address delegate, Endorsements calldata endorsements) external;

    /// @notice Carry out a transition for which the caller has an approval.
    /// @param transition What happens.
    function executeApproved(Transition calldata transition) external;

    /// @notice Replace the committee. All endorsements and approvals of the old one that were not used are void.
    /// @param change The new committee.
    /// @param endorsements Signatures by the *old* committee over the EIP-712 struct `CommitteeChange`.
    function changeCommittee(CommitteeChange calldata change, Endorsements calldata endorsements) external;

    /// @notice Whether an intent was fulfilled.
    function isFulfilled(bytes32 intentId) external view returns (bool);

    /// @notice Whether a state exists and is not spent.
    function isUnspent(bytes32 stateId) external view returns (bool);

    /// @notice Whether `delegate` was approved to carry out a transition in the current epoch or an earlier one.
    /// @param transitionHash The EIP-712 struct hash of the transition.
    /// @param delegate Who would carry it out.
    function isApproved(bytes32 transitionHash, address delegate) external view returns (bool);

    /// @notice The current committee: its number, its members in ascending order, and how many of them must sign.
    function committee() external view returns (uint64 epoch, address[] memory members, uint8 threshold);

    /// @notice Whether transitions of this group may call public contracts. Fixed at creation.
    function allowsExternalCalls() external view returns (bool);
}
