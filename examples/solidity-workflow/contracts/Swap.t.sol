// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { AtomFactory } from "hardhat-sequencer/contracts/AtomFactory.sol";
import { IExternalCalls } from "hardhat-sequencer/contracts/interfaces/IExternalCalls.sol";
import { IPrivacyGroup } from "hardhat-sequencer/contracts/interfaces/IPrivacyGroup.sol";
import { PrivacyGroupTest } from "hardhat-sequencer/contracts/testing/PrivacyGroupTest.sol";

/// @dev Alice has a bond in one group, Bob has cash in another. Neither group knows the other's states, and still the
/// bond and the cash change hands together or not at all.
contract SwapTest is PrivacyGroupTest {
    AtomFactory private _atoms;
    IPrivacyGroup private _bonds;
    IPrivacyGroup private _cash;
    bytes32[] private _bond;
    bytes32[] private _coin;

    function setUp() public {
        _atoms = new AtomFactory();
        _bonds = createGroup(3, 2);
        _cash = createGroup(2, 2);
        _bond = submit(_bonds, transition(_bonds, nextIntent("issuer"), none(), list("Alice's bond")));
        _coin = submit(_cash, transition(_cash, nextIntent("bank"), none(), list("Bob's cash")));
    }

    function test_BothHalvesHappenTogether() public {
        (IPrivacyGroup.Transition memory bondToBob, IPrivacyGroup.Transition memory cashToAlice) = _halves();
        IExternalCalls.ExternalCall[] memory calls = _calls(bondToBob, cashToAlice);
        // The address follows from the calls, so each group approves the whole swap, not just its half.
        address atom = _atoms.atomAddress(calls, "swap 1");
        approveFor(_bonds, bondToBob, atom);
        approveFor(_cash, cashToAlice, atom);

        _atoms.execute(calls, "swap 1");

        assertSpent(_bonds, _bond[0]);
        assertSpent(_cash, _coin[0]);
        assertUnspent(_bonds, outputIds(bondToBob)[0]);
        assertUnspent(_cash, outputIds(cashToAlice)[0]);
    }

    function test_NeitherHappensWithoutTheOther() public {
        (IPrivacyGroup.Transition memory bondToBob, IPrivacyGroup.Transition memory cashToAlice) = _halves();
        IExternalCalls.ExternalCall[] memory calls = _calls(bondToBob, cashToAlice);
        approveFor(_bonds, bondToBob, _atoms.atomAddress(calls, "swap 1"));

        try _atoms.execute(calls, "swap 1") {
            revert("The cash group did not approve");
        } catch {}

        assertUnspent(_bonds, _bond[0]);
        assertUnspent(_cash, _coin[0]);
    }

    function _halves()
        private
        returns (IPrivacyGroup.Transition memory bondToBob, IPrivacyGroup.Transition memory cashToAlice)
    {
        bondToBob = transition(_bonds, nextIntent("alice"), _bond, list("Bob's bond"));
        cashToAlice = transition(_cash, nextIntent("bob"), _coin, list("Alice's cash"));
    }

    function _calls(
        IPrivacyGroup.Transition memory bondToBob,
        IPrivacyGroup.Transition memory cashToAlice
    ) private view returns (IExternalCalls.ExternalCall[] memory calls) {
        calls = new IExternalCalls.ExternalCall[](2);
        calls[0] = IExternalCalls.ExternalCall(
            address(_bonds),
            abi.encodeCall(IPrivacyGroup.executeApproved, (bondToBob)),
            0
        );
        calls[1] = IExternalCalls.ExternalCall(
            address(_cash),
            abi.encodeCall(IPrivacyGroup.executeApproved, (cashToAlice)),
            0
        );
    }
}
