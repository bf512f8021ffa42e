// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title An ordinary token, of which its maker has all
contract Coin is ERC20 {
    constructor(uint256 supply) ERC20("Coin", "COIN") {
        _mint(msg.sender, supply);
    }
}
