// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { Clones } from "@openzeppelin/contracts/proxy/Clones.sol";
import { ReentrancyGuardTransient } from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import { ECDSA } from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import { EIP712 } from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

import { IPrivacyGroup } from "./interfaces/IPrivacyGroup.sol";
import { Committees } from "./libraries/Committees.sol";
import { ExternalCalls } from "./libraries/ExternalCalls.sol";
import { IntentBitmap } from "./libraries/IntentBitmap.sol";
import { StateRegisters } from "./libraries/StateRegisters.sol";
import { TypedData } from "./libraries/TypedData.sol";

/// @title The ledger of one privacy group
/// @dev Groups are clones of one implementation, made by {PrivacyGroupFactory}. The first committee and the option
/// for external calls are immutable arguments of the clone, so creation and initialisation are one step. There is no
/// owner, no upgrade, no way to send it value, and the caller's address matters only in {executeApproved}.
///
/// While external calls are made, every function that changes something refuses to be entered. Views answer: calls
/// come after all effects, so the answers are those of the finished transition.
contract PrivacyGroup is IPrivacyGroup, EIP712, ReentrancyGuardTransient {
    using Committees for bytes;
    using IntentBitmap for IntentBitmap.Bitmap;
    using StateRegisters for StateRegisters.Registers;

    /// @dev Bounds the work of one call and the size of its events. Public nodes relay nothing larger.
    uint256 private constant CALLDATA_BYTES_MAX = 131_072;

    address private immutable _implementation = address(this);

    /// @dev The clone whose immutable arguments hold the current committee; zero stands for this contract itself.
    address private _committeeStore;
    uint64 private _epoch;
    IntentBitmap.Bitmap private _fulfilled;
    StateRegisters.Registers private _states;
    mapping(bytes32 transitionHash => mapping(address delegate => bool isApproved)) private _approvals;

    modifier onlyInstance() {
        if (address(this) == _implementation) revert PrivacyGroupNotAnInstance();
        _;
    }

    constructor() EIP712(TypedData.NAME, TypedData.VERSION) {}

    /// @inheritdoc IPrivacyGroup
    function execute(
        Transition calldata transition,
        Endorsements calldata endorsements
    ) external onlyInstance nonReentrantView {
        _requireCurrent(transition.epoch, transition.validUntil);
        (bytes32 transitionHash, bytes32 intentsHash) = TypedData.hash(transition);
        _requireEndorsed(transitionHash, endorsements);
        _apply(transition, transitionHash, intentsHash);
    }

    /// @inheritdoc IPrivacyGroup
    function approve(
        Transition calldata transition,
        address delegate,
        Endorsements calldata endorsements
    ) external onlyInstance nonReentrantView {
        _requireCurrent(transition.epoch, transition.validUntil);
        (bytes32 transitionHash, ) = TypedData.hash(transition);
        if (_approvals[transitionHash][delegate]) revert PrivacyGroupAlreadyApproved(transitionHash, delegate);
        _requireEndorsed(TypedData.hashApproval(transitionHash, delegate), endorsements);
        _approvals[transitionHash][delegate] = true;
        emit TransitionApproved(transitionHash, delegate);
    }

    /// @inheritdoc IPrivacyGroup
    function executeApproved(Transition calldata transition) external onlyInstance nonReentrantView {
        _requireCurrent(transition.epoch, transition.validUntil);
        (bytes32 transitionHash, bytes32 intentsHash) = TypedData.hash(transition);
        if (!_approvals[transitionHash][msg.sender]) revert PrivacyGroupNotApproved(transitionHash, msg.sender);
        _apply(transition, transitionHash, intentsHash);
    }

    /// @inheritdoc IPrivacyGroup
    function changeCommittee(
        CommitteeChange calldata change,
        Endorsements calldata endorsements
    ) external onlyInstance nonReentrantView {
        _requireCurrent(change.epoch, change.validUntil);
        _requireEndorsed(TypedData.hash(change), endorsements);
        bytes memory encoded = Committees.encode(change.members, change.threshold, allowsExternalCalls());
        // A clone of nothing: it only carries the arguments, and a call to it does nothing.
        _committeeStore = Clones.cloneWithImmutableArgs(address(0), encoded);
        _epoch = change.epoch + 1;
        emit CommitteeChanged(change.epoch + 1, change.members, change.threshold);
    }

    /// @inheritdoc IPrivacyGroup
    function isFulfilled(bytes32 intentId) external view returns (bool) {
        return _fulfilled.contains(intentId);
    }

    /// @inheritdoc IPrivacyGroup
    function isUnspent(bytes32 stateId) external view returns (bool) {
        return _states.holds(stateId);
    }

    /// @inheritdoc IPrivacyGroup
    function isApproved(bytes32 transitionHash, address delegate) external view returns (bool) {
        return _approvals[transitionHash][delegate];
    }

    /// @inheritdoc IPrivacyGroup
    function committee() external view onlyInstance returns (uint64 epoch, address[] memory members, uint8 threshold) {
        bytes memory current = _committee();
        members = new address[](current.count());
        for (uint256 i = 0; i < members.length; ++i) members[i] = current.memberAt(i);
        return (_epoch, members, current.threshold());
    }

    /// @inheritdoc IPrivacyGroup
    function allowsExternalCalls() public view onlyInstance returns (bool) {
        return _committee().allowsExternalCalls();
    }

    function _apply(Transition calldata transition, bytes32 transitionHash, bytes32 intentsHash) private {
        if (msg.data.length > CALLDATA_BYTES_MAX) {
            revert PrivacyGroupTransitionTooLarge(msg.data.length, CALLDATA_BYTES_MAX);
        }
        _states.requireHeld(transition.reads);
        _fulfilled.add(transition.intents);
        bytes32[] calldata inputs = transition.inputs;
        bytes32[] memory outputs = _move(inputs, transition.outputs, intentsHash);
        emit Transitioned(transitionHash, inputs, outputs);
        ExternalCall[] calldata calls = transition.calls;
        if (calls.length != 0) _call(calls);
    }

    /// @dev Spends the inputs and creates the outputs. Registers ascend, so each changes at most once, and no state can
    /// be created and spent by the same transition.
    function _move(
        bytes32[] calldata inputs,
        bytes32[] calldata commitments,
        bytes32 intentsHash
    ) private returns (bytes32[] memory outputs) {
        if (inputs.length > commitments.length) {
            revert PrivacyGroupInputWithoutSuccessor(inputs[commitments.length]);
        }
        outputs = new bytes32[](commitments.length);
        uint256 lowest = 0;
        for (uint256 i = 0; i < commitments.length; ++i) {
            bytes32 output = keccak256(abi.encode(intentsHash, i, commitments[i]));
            if (i < inputs.length) {
                bytes32 input = inputs[i];
                uint256 register = StateRegisters.registerOf(input);
                if (register < lowest) revert PrivacyGroupInputsNotAscending(input);
                lowest = register + 1;
                output = StateRegisters.inherit(input, output);
                _states.replace(input, output);
            } else {
                _states.open(output);
            }
            outputs[i] = output;
        }
    }

    /// @dev Runs after all effects and events.
    function _call(ExternalCall[] calldata calls) private nonReentrant {
        if (!allowsExternalCalls()) revert PrivacyGroupExternalCallsDisabled();
        ExternalCalls.run(calls);
    }

    function _requireCurrent(uint64 epoch, uint64 validUntil) private view {
        if (epoch != _epoch) revert PrivacyGroupWrongEpoch(epoch, _epoch);
        if (validUntil != 0 && block.number > validUntil) revert PrivacyGroupExpired(validUntil, block.number);
    }

    function _requireEndorsed(bytes32 structHash, Endorsements calldata endorsements) private view {
        bytes memory current = _committee();
        uint256 signers = endorsements.signers;
        if (signers >> current.count() != 0) revert PrivacyGroupUnknownSigners(signers, current.count());
        Signature[] calldata signatures = endorsements.signatures;
        bytes32 digest = _hashTypedDataV4(structHash);
        uint256 count = 0;
        for (uint256 i = 0; signers != 0; signers >>= 1) {
            // Neither counter can overflow: a word has no more than 256 bits.
            unchecked {
                if (signers & 1 != 0) {
                    if (count == signatures.length) revert PrivacyGroupSignatureCount(count, count + 1);
                    _requireSigned(digest, signatures[count], current.memberAt(i));
                    ++count;
                }
                ++i;
            }
        }
        if (count != signatures.length) revert PrivacyGroupSignatureCount(signatures.length, count);
        if (count < current.threshold()) revert PrivacyGroupThresholdNotReached(count, current.threshold());
    }

    function _requireSigned(bytes32 digest, Signature calldata signature, address member) private pure {
        (address recovered, , ) = ECDSA.tryRecover(digest, signature.r, signature.vs);
        if (recovered != member) revert PrivacyGroupInvalidEndorsement(member, recovered);
    }

    function _committee() private view returns (bytes memory) {
        address store = _committeeStore;
        return Committees.load(store == address(0) ? address(this) : store);
    }
}
