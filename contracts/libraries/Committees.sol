// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IPrivacyGroup } from "../interfaces/IPrivacyGroup.sol";

/// @title Who endorses, and whether the group may call out, in the form that is stored as code
/// @dev Committees live in the immutable arguments of clones: reading code costs less than reading storage. The form
/// is one byte for external calls, one for the threshold, and a word for each member.
library Committees {
    /// @dev Signers are the bits of one word, and the threshold is one byte.
    uint256 internal constant MEMBERS_MAX = 255;
    uint256 private constant HEAD_BYTES = 2;

    /// @dev Checks a committee and encodes it. Nothing else writes committees, so what is stored is always valid.
    function encode(
        address[] calldata members,
        uint8 threshold_,
        bool externalCalls
    ) internal pure returns (bytes memory) {
        if (members.length > MEMBERS_MAX) {
            revert IPrivacyGroup.PrivacyGroupTooManyMembers(members.length, MEMBERS_MAX);
        }
        if (threshold_ == 0 || threshold_ > members.length) {
            revert IPrivacyGroup.PrivacyGroupInvalidThreshold(threshold_, members.length);
        }
        address previous = address(0);
        for (uint256 i = 0; i < members.length; ++i) {
            if (members[i] <= previous) {
                revert IPrivacyGroup.PrivacyGroupMembersNotAscending(previous, members[i]);
            }
            previous = members[i];
        }
        return abi.encodePacked(externalCalls, threshold_, members);
    }

    /// @dev `Clones.fetchCloneArgs(clone)`, without clearing the memory that it is about to fill: 350 gas in each
    /// transition. A test compares the two.
    function load(address clone) internal view returns (bytes memory encoded) {
        assembly ("memory-safe") {
            encoded := mload(0x40)
            let size := sub(extcodesize(clone), 0x2d)
            mstore(encoded, size)
            extcodecopy(clone, add(encoded, 0x20), 0x2d, size)
            mstore(0x40, and(add(add(encoded, size), 0x3f), not(0x1f)))
        }
    }

    function allowsExternalCalls(bytes memory encoded) internal pure returns (bool) {
        return encoded[0] != 0;
    }

    function threshold(bytes memory encoded) internal pure returns (uint8) {
        return uint8(encoded[1]);
    }

    function count(bytes memory encoded) internal pure returns (uint256) {
        return (encoded.length - HEAD_BYTES) / 32;
    }

    /// @dev The caller makes sure that `index` is below {count}.
    function memberAt(bytes memory encoded, uint256 index) internal pure returns (address member) {
        assembly ("memory-safe") {
            member := mload(add(add(encoded, 0x22), shl(5, index)))
        }
    }
}
