// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title A public board that a group puts notices on
contract Board {
    string public notice;
    address public author;
    uint256 public notices;

    error BoardFull(uint256 notices);

    function put(string calldata text) external {
        if (notices == 2) revert BoardFull(notices);
        notice = text;
        author = msg.sender;
        ++notices;
    }
}
