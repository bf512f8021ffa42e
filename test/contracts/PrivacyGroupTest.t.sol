// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { PrivacyGroupTest } from "../../contracts/testing/PrivacyGroupTest.sol";

/// @title The example in the documentation of the base
contract CoinTest is PrivacyGroupTest {
    function test_ACoinIsSpentOnce() public {
        IPrivacyGroup group = createGroup(3, 2);

        bytes32[] memory coins = submit(group, transition(group, nextIntent("alice"), none(), list("coin")));
        assertUnspent(group, coins[0]);

        submit(group, transition(group, nextIntent("alice"), coins, list("rest")));
        assertSpent(group, coins[0]);
    }
}
