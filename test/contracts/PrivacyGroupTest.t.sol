// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { PrivacyGroupTest } from "../../contracts/testing/PrivacyGroupTest.sol";
import { Vm } from "../../contracts/testing/Vm.sol";

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

/// @title Names that forge-std's `Test` takes; what follows shows that both can be inherited
abstract contract ForgeStdTest {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    error AssertionFailed();

    function assertEq(uint256 left, uint256 right) internal pure {
        if (left != right) revert AssertionFailed();
    }

    function assertTrue(bool data) internal pure {
        if (!data) revert AssertionFailed();
    }
}

contract PrivacyGroupTestTest is ForgeStdTest, PrivacyGroupTest {
    IPrivacyGroup internal group;

    function setUp() public {
        group = createGroup(4, 3);
    }

    function test_CommitteesAscendAndKeysBelongToThem() public {
        Committee memory committee = committeeOf(group);
        assertEq(committee.members.length, 4);
        assertEq(committee.threshold, 3);
        for (uint256 i = 0; i < 4; ++i) {
            assertTrue(i == 0 || committee.members[i] > committee.members[i - 1]);
            assertTrue(vm.addr(keyOf(committee.members[i])) == committee.members[i]);
        }
        assertTrue(createMembers(1)[0] != createMembers(1)[0]);
    }

    function test_LanesCountUp() public {
        bytes32 first = nextIntent("alice");
        assertTrue(first == bytes32("alice"));
        assertEq(uint256(nextIntent("alice")), uint256(first) + 1);
        assertTrue(nextIntent("bob") == bytes32("bob"));
        assertEq(uint256(nextIntent("alice")), uint256(first) + 2);
    }

    function test_InputsAreSortedAndOutputsPadded() public view {
        bytes32[] memory inputs = list(bytes32(uint256(3)), bytes32(uint256(1)), bytes32(uint256(2)));
        IPrivacyGroup.Transition memory what = transition(group, "a", inputs, list("x"));
        for (uint256 i = 0; i < 3; ++i) assertEq(uint256(what.inputs[i]), i + 1);
        assertEq(what.outputs.length, 3);
        assertTrue(what.outputs[0] == "x" && what.outputs[1] == 0 && what.outputs[2] == 0);
        assertEq(padOutputs(list("x", "y"), 1).length, 2);
        assertEq(uint256(inputs[0]), 3);
    }

    /// @dev The sender and the expected revert go to the call that a line is named after.
    function test_CheatCodesGoInFrontOfALine() public {
        IPrivacyGroup.Transition memory what = transition(group, "a", none(), none());
        submit(group, what);
        vm.expectRevert(abi.encodeWithSelector(IPrivacyGroup.PrivacyGroupIntentFulfilled.selector, bytes32("a")));
        submit(group, what);

        what = transition(group, "b", none(), none());
        approveFor(group, what, address(0xde1e));
        vm.prank(address(0xde1e));
        group.executeApproved(what);
        assertFulfilled(group, "b");

        vm.expectEmit(address(group));
        emit IPrivacyGroup.IntentFulfilled("c");
        submit(group, transition(group, "c", none(), none()));
    }

    function test_ANewCommitteeIsFollowed() public {
        changeCommittee(group, 2, 1);
        assertEq(committeeOf(group).epoch, 1);
        assertEq(committeeOf(group).members.length, 2);
        submit(group, transition(group, "a", none(), none()));
    }

    /// @dev A committee that was refused is not followed.
    function test_ARefusedCommitteeIsNotFollowed() public {
        vm.expectRevert(abi.encodeWithSelector(IPrivacyGroup.PrivacyGroupInvalidThreshold.selector, 0, 2));
        changeCommittee(group, 2, 0);
        assertEq(committeeOf(group).members.length, 4);
        submit(group, transition(group, "a", none(), none()));
    }

    function test_RevertWhen_AnAssertionDoesNotHold() public {
        bytes32 state = submit(group, transition(group, "a", none(), list("x")))[0];
        this.check(group, "a", state, true);
        vm.expectRevert(abi.encodeWithSelector(PrivacyGroupTestNotFulfilled.selector, group, bytes32("b")));
        this.check(group, "b", state, true);
        vm.expectRevert(abi.encodeWithSelector(PrivacyGroupTestNotUnspent.selector, group, bytes32("nothing")));
        this.check(group, "a", "nothing", true);

        this.check(group, "b", "nothing", false);
        vm.expectRevert(abi.encodeWithSelector(PrivacyGroupTestFulfilled.selector, group, bytes32("a")));
        this.check(group, "a", "nothing", false);
        vm.expectRevert(abi.encodeWithSelector(PrivacyGroupTestNotSpent.selector, group, state));
        this.check(group, "b", state, false);
    }

    function check(IPrivacyGroup of_, bytes32 intentId, bytes32 stateId, bool isThere) external view {
        if (isThere) {
            assertFulfilled(of_, intentId);
            assertUnspent(of_, stateId);
        } else {
            assertNotFulfilled(of_, intentId);
            assertSpent(of_, stateId);
        }
    }

    function test_RevertWhen_AKeyIsUnknown() public {
        vm.expectRevert(abi.encodeWithSelector(PrivacyGroupTestNoKey.selector, address(1)));
        this.key(address(1));
    }

    function key(address member) external view returns (uint256) {
        return keyOf(member);
    }
}
