// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { Vm } from "../../contracts/testing/Vm.sol";
import { LedgerTest } from "./LedgerTest.sol";

contract ExecuteTest is LedgerTest {
    // -------------------------------------------------------------------------------------------------- effects

    function test_FulfilsIntentsSpendsInputsAndCreatesOutputs() public {
        bytes32[] memory inputs = twoCoins();
        IPrivacyGroup.Transition memory what = transition(group, "a", inputs, list("x", "y", "z"));
        what.intents = list("a", "b");

        bytes32[] memory outputs = submit(group, what);

        assertFulfilled(group, "a");
        assertFulfilled(group, "b");
        assertNotFulfilled(group, "c");
        for (uint256 i = 0; i < inputs.length; ++i) assertSpent(group, inputs[i]);
        for (uint256 i = 0; i < outputs.length; ++i) assertUnspent(group, outputs[i]);
    }

    function test_EmitsEachIntentThenTheTransition() public {
        bytes32[] memory inputs = twoCoins();
        IPrivacyGroup.Transition memory what = transition(group, "a", inputs, list("x", "y", "z"));
        what.intents = list("b", "a");

        vm.recordLogs();
        submit(group, what);
        Vm.Log[] memory logs = vm.getRecordedLogs();

        equal(logs.length, 3);
        for (uint256 i = 0; i < 2; ++i) {
            equal(logs[i].emitter, address(group));
            equal(logs[i].topics.length, 2);
            equal(logs[i].topics[0], IPrivacyGroup.IntentFulfilled.selector);
            equal(logs[i].topics[1], what.intents[i]);
            equal(logs[i].data, "");
        }
        equal(logs[2].emitter, address(group));
        equal(logs[2].topics.length, 2);
        equal(logs[2].topics[0], IPrivacyGroup.Transitioned.selector);
        equal(logs[2].topics[1], transitionHash(what));
        equal(logs[2].data, abi.encode(inputs, outputIds(what)));
    }

    function test_AnOutputTakesOverTheRegisterOfItsInput() public {
        bytes32[] memory inputs = twoCoins();
        bytes32[] memory outputs = submit(group, transition(group, "a", inputs, list("x", "y", "z")));

        bytes32 intents = keccak256(abi.encodePacked(bytes32("a")));
        for (uint256 i = 0; i < 3; ++i) {
            bytes32 plain = keccak256(
                abi.encode(
                    intents,
                    i,
                    i == 0
                        ? bytes32("x")
                        : i == 1
                            ? bytes32("y")
                            : bytes32("z")
                )
            );
            equal(uint256(outputs[i]) >> 192, uint256(i < 2 ? inputs[i] : plain) >> 192);
            equal(uint192(uint256(outputs[i])), uint192(uint256(plain)));
            equal(vm.load(address(group), slotOf(outputs[i])), outputs[i]);
        }
        equal(slotOf(outputs[0]), slotOf(inputs[0]));
    }

    function test_AnIntentAloneIsEnough() public {
        equal(submit(group, transition(group, "alone", none(), none())).length, 0);
        assertFulfilled(group, "alone");
    }

    function test_AnyBytesAreAnIntentId() public {
        submit(group, transition(group, bytes32(0), none(), none()));
        submit(group, transition(group, bytes32(type(uint256).max), none(), none()));
        assertFulfilled(group, bytes32(0));
        assertFulfilled(group, bytes32(type(uint256).max));
        assertNotFulfilled(group, bytes32(uint256(1)));
    }

    // -------------------------------------------------------------------------------------------------- intents

    function test_RevertWhen_ThereIsNoIntent() public {
        IPrivacyGroup.Transition memory what = simple();
        what.intents = none();
        expectError(IPrivacyGroup.PrivacyGroupNoIntent.selector);
        submit(group, what);
    }

    function test_RevertWhen_AnIntentIsFulfilledAlready() public {
        submit(group, transition(group, "a", none(), none()));
        expectError(IPrivacyGroup.PrivacyGroupIntentFulfilled.selector, "a");
        submit(group, transition(group, "a", none(), list("other")));
    }

    function test_RevertWhen_AnIntentStandsTwice() public {
        IPrivacyGroup.Transition memory what = simple();
        what.intents = list("a", "a");
        expectError(IPrivacyGroup.PrivacyGroupIntentFulfilled.selector, "a");
        submit(group, what);
    }

    /// @dev The list leaves a word of the bitmap and comes back to it.
    function test_RevertWhen_AnIntentStandsTwiceWithAnotherWordBetween() public {
        IPrivacyGroup.Transition memory what = simple();
        what.intents = list(bytes32(uint256(7)), bytes32(uint256(7 + 256)), bytes32(uint256(7)));
        expectError(IPrivacyGroup.PrivacyGroupIntentFulfilled.selector, bytes32(uint256(7)));
        submit(group, what);
    }

    function test_IntentsMayDescendAndAlternateBetweenWords() public {
        IPrivacyGroup.Transition memory what = simple();
        what.intents = new bytes32[](6);
        uint16[6] memory ids = [uint16(300), 5, 299, 4, 511, 255];
        for (uint256 i = 0; i < 6; ++i) what.intents[i] = bytes32(uint256(ids[i]));
        submit(group, what);

        uint256 fulfilled = 0;
        for (uint256 i = 0; i < 1024; ++i) {
            if (group.isFulfilled(bytes32(i))) ++fulfilled;
        }
        equal(fulfilled, 6);
        for (uint256 i = 0; i < 6; ++i) assertFulfilled(group, what.intents[i]);
    }

    // --------------------------------------------------------------------------------------------------- inputs

    function test_RevertWhen_AnInputStandsTwice() public {
        bytes32 state = coin("x");
        IPrivacyGroup.Transition memory what = transition(group, "a", list(state, state), list("y", "z"));
        expectError(IPrivacyGroup.PrivacyGroupInputsNotAscending.selector, state);
        submit(group, what);
    }

    function test_RevertWhen_InputsDescend() public {
        bytes32[] memory inputs = twoCoins();
        IPrivacyGroup.Transition memory what = transition(group, "a", inputs, list("y", "z"));
        what.inputs = list(inputs[1], inputs[0]);
        expectError(IPrivacyGroup.PrivacyGroupInputsNotAscending.selector, inputs[0]);
        submit(group, what);
    }

    function test_RevertWhen_TwoInputsShareARegister() public {
        bytes32 state = coin("x");
        bytes32 sibling = bytes32(uint256(state) ^ 1);
        IPrivacyGroup.Transition memory what = transition(group, "a", none(), list("y", "z"));
        what.inputs = list(state, sibling);
        expectError(IPrivacyGroup.PrivacyGroupInputsNotAscending.selector, sibling);
        submit(group, what);
    }

    function test_RevertWhen_AnInputWasNeverCreated() public {
        IPrivacyGroup.Transition memory what = transition(group, "a", list("nothing"), list("y"));
        expectError(IPrivacyGroup.PrivacyGroupStateNotAvailable.selector, "nothing");
        submit(group, what);
    }

    function test_RevertWhen_AnInputIsSpent() public {
        bytes32 state = coin("x");
        submit(group, transition(group, "a", list(state), list("y")));
        IPrivacyGroup.Transition memory what = transition(group, "b", list(state), list("z"));
        expectError(IPrivacyGroup.PrivacyGroupStateNotAvailable.selector, state);
        submit(group, what);
    }

    function test_RevertWhen_TheSecondInputIsSpent() public {
        bytes32[] memory states = twoCoins();
        submit(group, transition(group, "a", list(states[1]), list("y")));
        IPrivacyGroup.Transition memory what = transition(group, "b", states, list("z"));
        expectError(IPrivacyGroup.PrivacyGroupStateNotAvailable.selector, states[1]);
        submit(group, what);
    }

    /// @dev Register zero is empty and reads as zero, which is not the same as holding the id zero.
    function test_RevertWhen_AnInputIsZero() public {
        IPrivacyGroup.Transition memory what = transition(group, "a", list(bytes32(0)), list("y"));
        expectError(IPrivacyGroup.PrivacyGroupStateNotAvailable.selector, bytes32(0));
        submit(group, what);
        assertSpent(group, bytes32(0));
    }

    function test_RevertWhen_AnInputOfTheEmptyRegisterZeroIsNotZero() public {
        IPrivacyGroup.Transition memory what = transition(group, "a", list(bytes32(uint256(1))), list("y"));
        expectError(IPrivacyGroup.PrivacyGroupStateNotAvailable.selector, bytes32(uint256(1)));
        submit(group, what);
    }

    /// @dev The lowest and the highest register are registers like any other.
    function test_TheOutermostRegistersWork() public {
        bytes32 low = bytes32(uint256(1));
        bytes32 high = bytes32(type(uint256).max);
        vm.store(address(group), slotOf(low), low);
        vm.store(address(group), slotOf(high), high);
        bytes32[] memory outputs = submit(group, transition(group, "a", list(low, high), list("x", "y")));
        assertSpent(group, low);
        assertSpent(group, high);
        equal(uint256(outputs[0]) >> 192, 0);
        equal(uint256(outputs[1]) >> 192, type(uint64).max);
        assertUnspent(group, outputs[0]);
        assertUnspent(group, outputs[1]);
    }

    function test_RevertWhen_AnInputIsCreatedByTheSameTransition() public {
        IPrivacyGroup.Transition memory what = transition(group, "a", none(), list("x", "y"));
        bytes32 own = outputIds(what)[1];
        what.inputs = list(own);
        expectError(IPrivacyGroup.PrivacyGroupStateNotAvailable.selector, own);
        submit(group, what);
    }

    /// @dev The first output takes over the register of the first input; the second input names that very output.
    function test_RevertWhen_AnInputIsTheSuccessorOfAnother() public {
        bytes32 state = coin("x");
        IPrivacyGroup.Transition memory what = transition(group, "a", list(state), list("y", "z"));
        bytes32 successor = outputIds(what)[0];
        what.inputs = list(state, successor);
        expectError(IPrivacyGroup.PrivacyGroupInputsNotAscending.selector, successor);
        submit(group, what);
    }

    function test_RevertWhen_AnInputHasNoSuccessor() public {
        bytes32[] memory inputs = twoCoins();
        IPrivacyGroup.Transition memory what = transition(group, "a", inputs, none());
        what.outputs = list("x");
        expectError(IPrivacyGroup.PrivacyGroupInputWithoutSuccessor.selector, inputs[1]);
        submit(group, what);
        what.outputs = none();
        expectError(IPrivacyGroup.PrivacyGroupInputWithoutSuccessor.selector, inputs[0]);
        submit(group, what);
    }

    // -------------------------------------------------------------------------------------------------- outputs

    function test_EqualCommitmentsAreDifferentStates() public {
        bytes32[] memory outputs = submit(group, transition(group, "a", none(), list("x", "x", "x")));
        isTrue(outputs[0] != outputs[1] && outputs[1] != outputs[2] && outputs[0] != outputs[2], "ids differ");
        submit(group, transition(group, "b", list(outputs[1]), none()));
        assertUnspent(group, outputs[0]);
        assertSpent(group, outputs[1]);
        assertUnspent(group, outputs[2]);
    }

    function test_AVacancyIsAStateThatALaterTransitionReuses() public {
        bytes32[] memory outputs = submit(group, transition(group, "a", twoCoins(), list("x")));
        equal(outputs.length, 2);
        bytes32 vacancy = outputs[1];
        assertUnspent(group, vacancy);

        bytes32[] memory next = submit(group, transition(group, "b", list(vacancy), list("y")));
        assertSpent(group, vacancy);
        equal(slotOf(next[0]), slotOf(vacancy));
        assertUnspent(group, outputs[0]);
    }

    function test_RevertWhen_TheRegisterOfAnOutputIsTaken() public {
        IPrivacyGroup.Transition memory what = transition(group, "a", none(), list("x", "y"));
        bytes32 output = outputIds(what)[1];
        bytes32 holder = bytes32(uint256(output) ^ 1);
        vm.store(address(group), slotOf(output), holder);
        assertUnspent(group, holder);
        vm.expectRevert(abi.encodeWithSelector(IPrivacyGroup.PrivacyGroupRegisterTaken.selector, output, holder));
        submit(group, what);
    }

    /// @dev That would be two states with one id. It takes a broken hash function to get here.
    function test_RevertWhen_AnOutputExistsAlready() public {
        IPrivacyGroup.Transition memory what = transition(group, "a", none(), list("x"));
        bytes32 output = outputIds(what)[0];
        vm.store(address(group), slotOf(output), output);
        vm.expectRevert(abi.encodeWithSelector(IPrivacyGroup.PrivacyGroupRegisterTaken.selector, output, output));
        submit(group, what);
    }

    // ---------------------------------------------------------------------------------------------------- reads

    function test_AReadStateStaysUnspent() public {
        bytes32[] memory states = twoCoins();
        IPrivacyGroup.Transition memory what = simple();
        what.reads = list(states[1], states[0], states[1]);
        submit(group, what);
        assertUnspent(group, states[0]);
        assertUnspent(group, states[1]);
    }

    /// @dev Reads are as of before the transition, so what it spends may be read as well.
    function test_AReadMayBeAnInput() public {
        bytes32 state = coin("x");
        IPrivacyGroup.Transition memory what = transition(group, "a", list(state), list("y"));
        what.reads = list(state);
        submit(group, what);
        assertSpent(group, state);
    }

    function test_RevertWhen_AReadIsAnOutputOfTheSameTransition() public {
        IPrivacyGroup.Transition memory what = transition(group, "a", none(), list("x"));
        bytes32 own = outputIds(what)[0];
        what.reads = list(own);
        expectError(IPrivacyGroup.PrivacyGroupStateNotAvailable.selector, own);
        submit(group, what);
    }

    function test_RevertWhen_AReadIsSpent() public {
        bytes32[] memory states = twoCoins();
        submit(group, transition(group, "a", list(states[1]), list("y")));
        IPrivacyGroup.Transition memory what = simple();
        what.reads = states;
        expectError(IPrivacyGroup.PrivacyGroupStateNotAvailable.selector, states[1]);
        submit(group, what);
    }

    function test_RevertWhen_AReadIsZero() public {
        IPrivacyGroup.Transition memory what = simple();
        what.reads = list(bytes32(0));
        expectError(IPrivacyGroup.PrivacyGroupStateNotAvailable.selector, bytes32(0));
        submit(group, what);
    }

    // -------------------------------------------------------------------------------------------- epoch and time

    function test_RevertWhen_TheEpochIsNotTheCurrentOne() public {
        IPrivacyGroup.Transition memory what = simple();
        what.epoch = 1;
        expectError(IPrivacyGroup.PrivacyGroupWrongEpoch.selector, 1, 0);
        submit(group, what);

        changeCommittee(group, 3, THRESHOLD);
        what.epoch = 0;
        expectError(IPrivacyGroup.PrivacyGroupWrongEpoch.selector, 0, 1);
        submit(group, what);
        what.epoch = 2;
        expectError(IPrivacyGroup.PrivacyGroupWrongEpoch.selector, 2, 1);
        submit(group, what);
        what.epoch = 1;
        submit(group, what);
    }

    function test_ValidUntilIsTheLastBlock() public {
        IPrivacyGroup.Transition memory what = simple();
        what.validUntil = 101;
        submit(group, what);

        what.intents = list("at the limit");
        vm.roll(101);
        submit(group, what);

        what.intents = list("too late");
        vm.roll(102);
        expectError(IPrivacyGroup.PrivacyGroupExpired.selector, 101, 102);
        submit(group, what);
        assertNotFulfilled(group, "too late");
    }

    function test_ValidUntilZeroIsNoLimit() public {
        vm.roll(type(uint64).max);
        submit(group, simple());
    }

    // ----------------------------------------------------------------------------------------------------- size

    function test_CallsOfUpTo131072BytesAreTaken() public {
        (bool success, ) = address(group).call(_callOfBytes(131_072));
        isTrue(success, "taken at the limit");
        assertFulfilled(group, "large");
    }

    function test_RevertWhen_TheCallIsLargerThan131072Bytes() public {
        (bool success, bytes memory reason) = address(group).call(_callOfBytes(131_073));
        isTrue(!success, "refused above the limit");
        equal(reason, abi.encodeWithSelector(IPrivacyGroup.PrivacyGroupTransitionTooLarge.selector, 131_073, 131_072));
        assertNotFulfilled(group, "large");
    }

    /// @dev A transition with thousands of reads, and as many bytes behind it as are missing.
    function _callOfBytes(uint256 size) private returns (bytes memory data) {
        IPrivacyGroup.Transition memory what = transition(group, "large", none(), none());
        bytes32 state = coin("read");
        what.reads = new bytes32[](4_000);
        for (uint256 i = 0; i < what.reads.length; ++i) what.reads[i] = state;
        data = abi.encodeCall(IPrivacyGroup.execute, (what, endorse(group, transitionHash(what))));
        data = bytes.concat(data, new bytes(size - data.length));
    }

    // ------------------------------------------------------------------------------------------------- all or none

    /// @dev Nor does it emit anything: the machine drops the logs of what reverts, though `recordLogs` shows them.
    function test_ARevertedTransitionChangesNothing() public {
        bytes32[] memory states = twoCoins();
        submit(group, transition(group, "before", list(states[1]), list("y")));
        // Everything is in order except the second input, which is checked after the intents and the first one.
        IPrivacyGroup.Transition memory what = transition(group, "a", states, list("z", "z", "z"));
        what.intents = list("a", "b");
        bytes memory data = abi.encodeCall(IPrivacyGroup.execute, (what, endorse(group, transitionHash(what))));
        bytes32[] memory outputs = outputIds(what);

        (bool success, bytes memory reason) = address(group).call(data);

        isTrue(!success, "reverted");
        equal(reason, abi.encodeWithSelector(IPrivacyGroup.PrivacyGroupStateNotAvailable.selector, states[1]));
        assertNotFulfilled(group, "a");
        assertNotFulfilled(group, "b");
        assertUnspent(group, states[0]);
        for (uint256 i = 0; i < 3; ++i) assertSpent(group, outputs[i]);
        equal(vm.load(address(group), slotOf(outputs[2])), bytes32(0));
    }
}
