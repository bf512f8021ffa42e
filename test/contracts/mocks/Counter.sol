// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title A public contract that counts, and remembers who asked
contract Counter {
    uint256 public count;
    address public caller;
    bytes public lastData;

    error CounterRefused(uint256 code);

    function increment() external {
        ++count;
        caller = msg.sender;
    }

    function refuse(uint256 code) external pure {
        revert CounterRefused(code);
    }

    fallback() external {
        ++count;
        lastData = msg.data;
    }
}
