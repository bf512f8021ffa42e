// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Answers with as many bytes as it is asked to, to make its caller pay for copying them
contract Bomb {
    function revertWith(uint256 size) external pure {
        assembly ("memory-safe") {
            mstore(0, not(0))
            revert(0, size)
        }
    }

    function returnWith(uint256 size) external pure {
        assembly ("memory-safe") {
            return(0, size)
        }
    }
}
