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

/// @title The same, with an event that names the gas
contract GasAnnouncer {
    event ExternalCall(address target, bytes data, uint64 gasMin);

    function announce(address target, bytes calldata data, uint64[] calldata gasMins) external {
        for (uint256 i = 0; i < gasMins.length; ++i) emit ExternalCall(target, data, gasMins[i]);
    }

    /// @dev As many calls that name no gas, and one that does.
    function announceNext(Announcer other, address target, bytes calldata data, uint256 count, uint64 gasMin) external {
        for (uint256 i = 0; i < count; ++i) other.announce(target, data);
        emit ExternalCall(target, data, gasMin);
    }
}
