// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Calls back into whoever called it, with data that was prepared beforehand
contract Reentrant {
    bytes private _data;
    bool public hasSucceeded;
    bytes public result;

    function prepare(bytes calldata data) external {
        _data = data;
    }

    /// @dev Swallows a failure, so that it does not undo the transition that called.
    function attack() external {
        (hasSucceeded, result) = msg.sender.call(_data);
    }

    /// @dev Asks its caller for a fact, to see what it says in the middle of a call.
    function look() external {
        (hasSucceeded, result) = msg.sender.staticcall(_data);
    }
}
