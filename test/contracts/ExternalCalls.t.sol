// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IExternalCalls } from "../../contracts/interfaces/IExternalCalls.sol";
import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { LedgerTest } from "./LedgerTest.sol";
import { Bomb } from "./mocks/Bomb.sol";
import { Counter } from "./mocks/Counter.sol";
import { Reentrant } from "./mocks/Reentrant.sol";
import { Tolerant } from "./mocks/Tolerant.sol";

contract ExternalCallsTest is LedgerTest {
    Counter internal counter = new Counter();
    Bomb internal bomb = new Bomb();

    function setUp() public override {
        super.setUp();
        group = createGroup(3, THRESHOLD, true);
    }

    function test_CallsAreMadeInOrderByTheGroup() public {
        Counter second = new Counter();
        IPrivacyGroup.Transition memory what = simple();
        what.calls = new IExternalCalls.ExternalCall[](3);
        what.calls[0] = IExternalCalls.ExternalCall(address(counter), abi.encodeCall(Counter.increment, ()), 0);
        what.calls[1] = IExternalCalls.ExternalCall(address(second), "first", 0);
        what.calls[2] = IExternalCalls.ExternalCall(address(second), "second", 0);
        submit(group, what);

        equal(counter.count(), 1);
        equal(counter.caller(), address(group));
        equal(second.count(), 2);
        equal(second.lastData(), "second");
    }

    function test_ADelegateMakesThemToo() public {
        IPrivacyGroup.Transition memory what = simple();
        what.calls = calls(address(counter), abi.encodeCall(Counter.increment, ()));
        approveFor(group, what, address(this));
        equal(counter.count(), 0);
        group.executeApproved(what);
        equal(counter.caller(), address(group));
    }

    /// @dev Whoever is called sees the ledger as it is afterwards.
    function test_CallsComeAfterAllEffects() public {
        Reentrant reader = new Reentrant();
        IPrivacyGroup.Transition memory what = transition(group, "a", none(), list("x"));
        what.calls = calls(address(reader), abi.encodeCall(Reentrant.look, ()));
        reader.prepare(abi.encodeCall(IPrivacyGroup.isFulfilled, ("a")));
        uint256 before = vm.snapshotState();
        submit(group, what);
        isTrue(reader.hasSucceeded() && abi.decode(reader.result(), (bool)), "the intent is fulfilled");

        vm.revertToState(before);
        reader.prepare(abi.encodeCall(IPrivacyGroup.isUnspent, (outputIds(what)[0])));
        submit(group, what);
        isTrue(reader.hasSucceeded() && abi.decode(reader.result(), (bool)), "the output is unspent");
    }

    function test_RevertWhen_TheGroupAllowsNone() public {
        group = createGroup(3, THRESHOLD, false);
        IPrivacyGroup.Transition memory what = simple();
        what.calls = calls(address(counter), abi.encodeCall(Counter.increment, ()));
        expectError(IPrivacyGroup.PrivacyGroupExternalCallsDisabled.selector);
        submit(group, what);
        assertNotFulfilled(group, what.intents[0]);
        equal(counter.count(), 0);
    }

    function test_ViewsAnswerWithinAnExternalCall() public {
        Reentrant reader = new Reentrant();
        IPrivacyGroup.Transition memory what = transition(group, "a", none(), list("x"));
        what.calls = calls(address(reader), abi.encodeCall(Reentrant.look, ()));
        bytes[] memory questions = new bytes[](5);
        questions[0] = abi.encodeCall(IPrivacyGroup.isFulfilled, ("a"));
        questions[1] = abi.encodeCall(IPrivacyGroup.isUnspent, (outputIds(what)[0]));
        questions[2] = abi.encodeCall(IPrivacyGroup.isApproved, (transitionHash(what), address(this)));
        questions[3] = abi.encodeCall(IPrivacyGroup.committee, ());
        questions[4] = abi.encodeCall(IPrivacyGroup.allowsExternalCalls, ());
        uint256 before = vm.snapshotState();
        for (uint256 i = 0; i < questions.length; ++i) {
            vm.revertToState(before);
            reader.prepare(questions[i]);
            submit(group, what);
            (bool success, bytes memory afterwards) = address(group).staticcall(questions[i]);
            isTrue(success && reader.hasSucceeded(), "answered");
            equal(reader.result(), afterwards);
        }
    }

    function test_RevertWhen_TheTargetHasNoCode() public {
        IPrivacyGroup.Transition memory what = simple();
        what.calls = calls(address(0xe0a), "");
        vm.expectRevert(abi.encodeWithSelector(IExternalCalls.ExternalCallWithoutCode.selector, address(0xe0a)));
        submit(group, what);
        assertNotFulfilled(group, what.intents[0]);
    }

    function test_RevertWhen_ACallFails() public {
        IPrivacyGroup.Transition memory what = transition(group, "a", none(), list("x"));
        what.calls = new IExternalCalls.ExternalCall[](2);
        what.calls[0] = IExternalCalls.ExternalCall(address(counter), abi.encodeCall(Counter.increment, ()), 0);
        what.calls[1] = IExternalCalls.ExternalCall(address(counter), abi.encodeCall(Counter.refuse, (42)), 0);
        bytes memory reason = abi.encodeWithSelector(Counter.CounterRefused.selector, 42);
        _expectFailed(1, address(counter), reason);
        submit(group, what);
        assertNotFulfilled(group, "a");
        assertSpent(group, outputIds(what)[0]);
        equal(counter.count(), 0);
    }

    function test_RevertDataIsCutAt1024Bytes() public {
        _bombard(0, 0);
        _bombard(1_023, 1_023);
        _bombard(1_024, 1_024);
        _bombard(1_025, 1_024);
        _bombard(1_000_000, 1_024);
    }

    function _bombard(uint256 size, uint256 kept) private {
        IPrivacyGroup.Transition memory what = simple();
        what.calls = calls(address(bomb), abi.encodeCall(Bomb.revertWith, (size)));
        bytes memory reason = new bytes(kept);
        for (uint256 i = 0; i < kept && i < 32; ++i) reason[i] = 0xff;
        // Memory that the bomb did not write is what Solidity left there: its free pointer.
        if (kept > 95) reason[95] = 0x80;
        _expectFailed(0, address(bomb), reason);
        submit(group, what);
    }

    function _expectFailed(uint256 index, address target, bytes memory reason) private {
        vm.expectRevert(abi.encodeWithSelector(IExternalCalls.ExternalCallFailed.selector, index, target, reason));
    }
}
