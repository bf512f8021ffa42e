// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IExternalCalls } from "../interfaces/IExternalCalls.sol";
import { IPrivacyGroup } from "../interfaces/IPrivacyGroup.sol";

/// @title EIP-712 struct hashes of everything that members sign
library TypedData {
    string internal constant NAME = "PrivacyGroup";
    string internal constant VERSION = "1";

    bytes32 internal constant EXTERNAL_CALL = keccak256("ExternalCall(address target,bytes data,uint64 gasMin)");
    bytes32 internal constant TRANSITION = keccak256(
        "Transition(uint64 epoch,bytes32[] intents,bytes32[] inputs,bytes32[] reads,bytes32[] outputs,bytes32 details,uint64 validUntil,ExternalCall[] calls)ExternalCall(address target,bytes data,uint64 gasMin)"
    );
    bytes32 internal constant APPROVAL = keccak256(
        "Approval(address delegate,Transition transition)ExternalCall(address target,bytes data,uint64 gasMin)Transition(uint64 epoch,bytes32[] intents,bytes32[] inputs,bytes32[] reads,bytes32[] outputs,bytes32 details,uint64 validUntil,ExternalCall[] calls)"
    );
    bytes32 internal constant COMMITTEE_CHANGE = keccak256(
        "CommitteeChange(uint64 epoch,address[] members,uint8 threshold,uint64 validUntil)"
    );

    /// @return structHash The hash of the whole transition.
    /// @return intentsHash The hash of its intents alone, which the ids of its outputs need.
    function hash(
        IPrivacyGroup.Transition calldata transition
    ) internal pure returns (bytes32 structHash, bytes32 intentsHash) {
        intentsHash = hash(transition.intents);
        structHash = keccak256(
            abi.encode(
                TRANSITION,
                transition.epoch,
                intentsHash,
                hash(transition.inputs),
                hash(transition.reads),
                hash(transition.outputs),
                transition.details,
                transition.validUntil,
                _hash(transition.calls)
            )
        );
    }

    /// @dev `keccak256(abi.encodePacked(words))`, hashed where it is copied instead of as a new `bytes`: four times in
    /// each transition that is 1,000 gas. A fuzz test compares the two.
    function hash(bytes32[] calldata words) internal pure returns (bytes32 result) {
        assembly ("memory-safe") {
            let free := mload(0x40)
            let size := shl(5, words.length)
            calldatacopy(free, words.offset, size)
            result := keccak256(free, size)
        }
    }

    function hashApproval(bytes32 transitionHash, address delegate) internal pure returns (bytes32) {
        return keccak256(abi.encode(APPROVAL, delegate, transitionHash));
    }

    function hash(IPrivacyGroup.CommitteeChange calldata change) internal pure returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    COMMITTEE_CHANGE,
                    change.epoch,
                    keccak256(abi.encodePacked(change.members)),
                    change.threshold,
                    change.validUntil
                )
            );
    }

    function _hash(IExternalCalls.ExternalCall[] calldata calls) private pure returns (bytes32) {
        if (calls.length == 0) return keccak256("");
        bytes32[] memory hashes = new bytes32[](calls.length);
        for (uint256 i = 0; i < calls.length; ++i) {
            IExternalCalls.ExternalCall calldata call = calls[i];
            hashes[i] = keccak256(abi.encode(EXTERNAL_CALL, call.target, keccak256(call.data), call.gasMin));
        }
        return keccak256(abi.encodePacked(hashes));
    }
}
