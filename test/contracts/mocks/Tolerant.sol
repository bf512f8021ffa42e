// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title A public contract that goes on when what it calls fails, as payouts and hooks do
contract Tolerant {
    uint256 public constant WORK_GAS = 200_000;

    bool public hasWorked;
    bool public hasGivenUp;
    /// @dev What was left when its code began to run.
    uint256 public gasReceived;

    function tryToWork() external {
        gasReceived = gasleft();
        try this.work() {
            hasWorked = true;
        } catch {
            hasGivenUp = true;
        }
    }

    function record() external {
        gasReceived = gasleft();
    }

    /// @dev Needs somewhat more than {WORK_GAS}.
    function work() external view {
        uint256 end = gasleft() - WORK_GAS;
        while (gasleft() > end) {}
    }
}
