// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title A public contract that goes on when what it calls fails
contract Raffle {
    uint256 public draws;
    uint256 public failures;

    function draw() external {
        try this.shuffle() {
            ++draws;
        } catch {
            ++failures;
        }
    }

    /// @dev Takes somewhat more than 200,000 gas.
    function shuffle() external view {
        uint256 end = gasleft() - 200_000;
        while (gasleft() > end) {}
    }
}
