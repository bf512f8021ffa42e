// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title A public register of dividends, which only the shareholders' group writes
contract DividendRegister {
    address public immutable group;
    uint256[] public dividends;

    error DividendRegisterNotTheGroup(address caller);

    constructor(address group_) {
        group = group_;
    }

    function record(uint256 amount) external {
        if (msg.sender != group) revert DividendRegisterNotTheGroup(msg.sender);
        dividends.push(amount);
    }
}
