// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { Atom } from "../../contracts/AtomFactory.sol";
import { IAtomFactory } from "../../contracts/interfaces/IAtomFactory.sol";
import { IExternalCalls } from "../../contracts/interfaces/IExternalCalls.sol";
import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { LedgerTest } from "./LedgerTest.sol";
import { Counter } from "./mocks/Counter.sol";

contract AtomsTest is LedgerTest {
    IAtomFactory internal atoms;
    Counter internal counter = new Counter();

    function setUp() public override {
        super.setUp();
        atoms = IAtomFactory(deploy("contracts/AtomFactory.sol:AtomFactory"));
    }

    function test_MakesTheCallsFromTheAtom() public {
        IExternalCalls.ExternalCall[] memory what = _increment();
        address atom = atoms.atomAddress(what, "salt");
        vm.expectEmit(address(atoms));
        emit IAtomFactory.AtomExecuted(atom);
        equal(atoms.execute(what, "salt"), atom);
        equal(counter.count(), 1);
        equal(counter.caller(), atom);
    }

    function test_CallsAndSaltArePartOfTheAddress() public view {
        address atom = atoms.atomAddress(_increment(), "salt");
        isTrue(atom != atoms.atomAddress(_increment(), "pepper"), "salt");
        isTrue(atom != atoms.atomAddress(calls(address(counter), ""), "salt"), "data");
        isTrue(atom != atoms.atomAddress(new IExternalCalls.ExternalCall[](2), "salt"), "number of calls");
    }

    function test_TwoGroupsSwapOrNeitherDoes() public {
        IPrivacyGroup other = createGroup(2, 2);
        IPrivacyGroup.Transition memory give = transition(group, "give", none(), list("x"));
        IPrivacyGroup.Transition memory take = transition(other, "take", none(), list("y"));
        IExternalCalls.ExternalCall[] memory swap = new IExternalCalls.ExternalCall[](2);
        swap[0] = IExternalCalls.ExternalCall(address(group), abi.encodeCall(IPrivacyGroup.executeApproved, (give)), 0);
        swap[1] = IExternalCalls.ExternalCall(address(other), abi.encodeCall(IPrivacyGroup.executeApproved, (take)), 0);
        address atom = atoms.atomAddress(swap, "");

        approveFor(group, give, atom);
        bytes memory reason = abi.encodeWithSelector(
            IPrivacyGroup.PrivacyGroupNotApproved.selector,
            transitionHash(take),
            atom
        );
        vm.expectRevert(abi.encodeWithSelector(IExternalCalls.ExternalCallFailed.selector, 1, address(other), reason));
        atoms.execute(swap, "");
        assertNotFulfilled(group, "give");

        // After a failure it can be tried again.
        approveFor(other, take, atom);
        atoms.execute(swap, "");
        assertFulfilled(group, "give");
        assertFulfilled(other, "take");
    }

    function test_RevertWhen_ThereAreNoCalls() public {
        expectError(IAtomFactory.AtomWithoutCalls.selector);
        atoms.execute(new IExternalCalls.ExternalCall[](0), "");
    }

    function test_RevertWhen_ItWasExecutedAlready() public {
        address atom = atoms.execute(_increment(), "");
        vm.expectRevert(abi.encodeWithSelector(IAtomFactory.AtomAlreadyExecuted.selector, atom));
        atoms.execute(_increment(), "");
        atoms.execute(_increment(), "again");
        equal(counter.count(), 2);
    }

    function test_RevertWhen_SomebodyElseRunsAnAtom() public {
        address atom = atoms.execute(_increment(), "");
        vm.expectRevert(abi.encodeWithSelector(Atom.AtomNotFactory.selector, address(this)));
        Atom(atom).run(_increment());
        equal(counter.count(), 1);
    }

    function test_RevertWhen_ATargetHasNoCode() public {
        vm.expectRevert(abi.encodeWithSelector(IExternalCalls.ExternalCallWithoutCode.selector, address(0xe0a)));
        atoms.execute(calls(address(0xe0a), ""), "");
    }

    function test_RevertWhen_ACallFails() public {
        bytes memory reason = abi.encodeWithSelector(Counter.CounterRefused.selector, 7);
        vm.expectRevert(
            abi.encodeWithSelector(IExternalCalls.ExternalCallFailed.selector, 0, address(counter), reason)
        );
        atoms.execute(calls(address(counter), abi.encodeCall(Counter.refuse, (7))), "");
    }

    function _increment() private view returns (IExternalCalls.ExternalCall[] memory) {
        return calls(address(counter), abi.encodeCall(Counter.increment, ()));
    }
}
