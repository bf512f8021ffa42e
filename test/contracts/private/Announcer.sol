// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Has public contracts called after what happens privately
contract Announcer {
    event ExternalCall(address indexed target, bytes data);

    uint256 public announced;

    function announce(address target, bytes calldata data) external {
        ++announced;
        emit ExternalCall(target, data);
    }
}

/// @title The same, with an event that has nothing indexed, or not even the right shape
contract PlainAnnouncer {
    event ExternalCall(address target, bytes data);

    function announce(address target, bytes calldata data) external {
        emit ExternalCall(target, data);
    }

    function stammer() external {
        bytes32 topic = ExternalCall.selector;
        assembly ("memory-safe") {
            log1(0, 7, topic)
        }
    }
}
