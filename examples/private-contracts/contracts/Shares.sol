// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title The shares of a company, in a group of its shareholders
/// @dev An ordinary contract: it does not know that it is private. Only the event at the end is for the group.
contract Shares is ERC20 {
    /// @notice Has a public contract called, after the transition in which this was emitted.
    event ExternalCall(address indexed target, bytes data);

    address public immutable board;

    error SharesNotTheBoard(address caller);

    constructor(uint256 supply) ERC20("Shares", "SHR") {
        board = msg.sender;
        _mint(msg.sender, supply);
    }

    /// @notice Pay a dividend: publicly, only its amount is known.
    function declareDividend(address register, uint256 amount) external {
        if (msg.sender != board) revert SharesNotTheBoard(msg.sender);
        emit ExternalCall(register, abi.encodeWithSignature("record(uint256)", amount));
    }
}
