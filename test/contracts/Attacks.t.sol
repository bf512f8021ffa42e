// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { ReentrancyGuardTransient } from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

import { Atom } from "../../contracts/AtomFactory.sol";
import { IAtomFactory } from "../../contracts/interfaces/IAtomFactory.sol";
import { IExternalCalls } from "../../contracts/interfaces/IExternalCalls.sol";
import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { IPrivacyGroupFactory } from "../../contracts/interfaces/IPrivacyGroupFactory.sol";
import { TypedData } from "../../contracts/libraries/TypedData.sol";
import { Vm } from "../../contracts/testing/Vm.sol";
import { LedgerTest } from "./LedgerTest.sol";
import { Bomb } from "./mocks/Bomb.sol";
import { Counter } from "./mocks/Counter.sol";
import { Reentrant } from "./mocks/Reentrant.sol";

/// @title What an attacker tries, and why it does not work
/// @dev The first five are holes of the design that this one learns from. The attacker sees everything that is public
/// and may call anything; it never has enough keys.
contract AttacksTest is LedgerTest {
    address internal constant ATTACKER = address(0xbad);
    uint256 internal constant ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;

    // --------------------------------------------------------------------------------- holes of the reference

    /// @dev The attacker copies endorsements from the pool of pending transactions and submits them under another id.
    function test_Attack_SubmitEndorsementsUnderAnotherIntent() public {
        bytes32 state = coin("x");
        IPrivacyGroup.Transition memory honest = transition(group, "honest", list(state), list("y"));
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(honest));
        IPrivacyGroup.Transition memory forged = transition(group, "forged", list(state), list("y"));

        _expectRefusedSignature(endorsements, forged);
        vm.prank(ATTACKER);
        group.execute(forged, endorsements);

        group.execute(honest, endorsements);
        assertFulfilled(group, "honest");
        assertNotFulfilled(group, "forged");
    }

    /// @dev A transition without inputs spends nothing, so nothing but its intent stops a second one.
    function test_Attack_ReplayATransitionWithoutInputs() public {
        IPrivacyGroup.Transition memory mint = transition(group, "mint once", none(), list("x"));
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(mint));
        group.execute(mint, endorsements);

        expectError(IPrivacyGroup.PrivacyGroupIntentFulfilled.selector, "mint once");
        vm.prank(ATTACKER);
        group.execute(mint, endorsements);

        mint.intents = list("mint twice");
        _expectRefusedSignature(endorsements, mint);
        vm.prank(ATTACKER);
        group.execute(mint, endorsements);
    }

    function test_Attack_UseAnApprovalTwice() public {
        IPrivacyGroup.Transition memory what = transition(group, "a", none(), list("x"));
        approveFor(group, what, ATTACKER);
        vm.prank(ATTACKER);
        group.executeApproved(what);
        expectError(IPrivacyGroup.PrivacyGroupIntentFulfilled.selector, "a");
        vm.prank(ATTACKER);
        group.executeApproved(what);
    }

    /// @dev A group that demands no signature would accept anything. None can be made, and none can become one.
    function test_Attack_ThresholdZero() public {
        IPrivacyGroupFactory factory = groupFactory();
        address[] memory members = createMembers(3);
        expectError(IPrivacyGroup.PrivacyGroupInvalidThreshold.selector, 0, 3);
        factory.createGroup(IPrivacyGroupFactory.GroupConfig(members, 0, false), "");
        expectError(IPrivacyGroup.PrivacyGroupInvalidThreshold.selector, 0, 3);
        changeCommittee(group, members, 0);

        IPrivacyGroup.Endorsements memory nothing;
        IPrivacyGroup.Transition memory what = simple();
        expectError(IPrivacyGroup.PrivacyGroupThresholdNotReached.selector, 0, 2);
        group.execute(what, nothing);
    }

    /// @dev Even with every member's help, the same commitment is another state each time.
    function test_Attack_CreateASpentStateAgain() public {
        bytes32 state = coin("x");
        bytes32[] memory outputs = submit(group, transition(group, "spend", list(state), list("y")));
        assertSpent(group, state);

        bytes32 again = coin("x");
        isTrue(again != state, "another id");
        bytes32[] memory back = submit(group, transition(group, "back", outputs, list("x")));
        isTrue(back[0] != state, "another id in the same register");
        assertSpent(group, state);
        IPrivacyGroup.Transition memory what = transition(group, "spend again", list(state), list("z"));
        expectError(IPrivacyGroup.PrivacyGroupStateNotAvailable.selector, state);
        submit(group, what);
    }

    // -------------------------------------------------------------------------------------------------- replays

    function test_Attack_ReplayOnAnotherGroupWithTheSameMembers() public {
        address[] memory members = committeeOf(group).members;
        IPrivacyGroupFactory.GroupConfig memory config = IPrivacyGroupFactory.GroupConfig(members, 2, false);
        IPrivacyGroup twin = IPrivacyGroup(groupFactory().createGroup(config, "twin"));
        follow(twin);
        IPrivacyGroup.Transition memory what = transition(group, "a", none(), list("x"));
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));
        group.execute(what, endorsements);

        expectInvalidEndorsement(members[0], recovered(endorsements.signatures[0], digest(twin, transitionHash(what))));
        twin.execute(what, endorsements);
        twin.execute(what, endorse(twin, transitionHash(what)));
    }

    function testFuzz_Attack_ReplayOnAnotherChain(uint64 otherChain) public {
        vm.assume(otherChain != block.chainid && otherChain != 0);
        IPrivacyGroup.Transition memory what = transition(group, "a", none(), list("x"));
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));

        vm.chainId(otherChain);
        _expectRefusedSignature(endorsements, what);
        group.execute(what, endorsements);

        // The domain is computed anew there, so the group still works.
        submit(group, what);
        assertFulfilled(group, "a");
    }

    function test_Attack_ReplayOfAnApprovalOfTheOtherGroup() public {
        IPrivacyGroup other = createGroup(3, 2);
        IPrivacyGroup.Transition memory what = simple();
        approveFor(other, what, ATTACKER);
        vm.expectRevert(
            abi.encodeWithSelector(IPrivacyGroup.PrivacyGroupNotApproved.selector, transitionHash(what), ATTACKER)
        );
        vm.prank(ATTACKER);
        group.executeApproved(what);
    }

    /// @dev The attacker is first. What happens is what would have happened anyway.
    function test_Attack_FrontRunASubmission() public {
        IPrivacyGroup.Transition memory what = transition(group, "a", list(coin("x")), list("y", "z"));
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));

        uint256 before = vm.snapshotState();
        vm.recordLogs();
        group.execute(what, endorsements);
        bytes memory honest = abi.encode(vm.getRecordedLogs());
        vm.revertToState(before);

        vm.recordLogs();
        vm.prank(ATTACKER);
        group.execute(what, endorsements);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(logs.length, 2);
        equal(abi.encode(logs), honest);

        expectError(IPrivacyGroup.PrivacyGroupIntentFulfilled.selector, "a");
        group.execute(what, endorsements);
    }

    // ----------------------------------------------------------------------------------------------- signatures

    /// @dev For every signature there is a second one over the same digest, with the upper half of the curve's order.
    /// The compact form has no room for most of those; the ledger refuses those it has room for.
    function test_Attack_MalleableSignature() public {
        IPrivacyGroup.Transition memory what = simple();
        bytes32 signed = digest(group, transitionHash(what));
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));
        uint256 vs = uint256(endorsements.signatures[0].vs);
        uint256 highS = ORDER - ((vs << 1) >> 1);
        uint256 flipped = ((vs >> 255) ^ 1) << 255;
        endorsements.signatures[0].vs = bytes32(flipped | ((highS << 1) >> 1));
        address member = committeeOf(group).members[0];

        // The same signature in the long form would be good in a contract that does not look.
        equal(ecrecover(signed, uint8(27 + (flipped >> 255)), endorsements.signatures[0].r, bytes32(highS)), member);
        expectInvalidEndorsement(member, _recoveredLowS(endorsements.signatures[0], signed));
        group.execute(what, endorsements);
    }

    /// @dev A value of `s` that fits into the compact form and yet lies in the upper half.
    function test_Attack_HighS() public {
        IPrivacyGroup.Transition memory what = simple();
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));
        endorsements.signatures[0].vs = bytes32(type(uint256).max >> 1);
        expectInvalidEndorsement(committeeOf(group).members[0], address(0));
        group.execute(what, endorsements);
    }

    function test_Attack_OtherRecoveryBit() public {
        IPrivacyGroup.Transition memory what = simple();
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));
        endorsements.signatures[0].vs ^= bytes32(uint256(1 << 255));
        address other = recovered(endorsements.signatures[0], digest(group, transitionHash(what)));
        isTrue(other != committeeOf(group).members[0], "somebody else");
        expectInvalidEndorsement(committeeOf(group).members[0], other);
        group.execute(what, endorsements);
    }

    /// @dev Nobody is recovered from zeros, and nobody is no member.
    function test_Attack_ZeroSignature() public {
        IPrivacyGroup.Transition memory what = simple();
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));
        delete endorsements.signatures[1];
        expectInvalidEndorsement(committeeOf(group).members[1], address(0));
        group.execute(what, endorsements);
    }

    function test_Attack_SignAsNonMember() public {
        IPrivacyGroup.Transition memory what = simple();
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));
        address outsider = createMembers(1)[0];
        endorsements.signatures[1] = signatureOf(keyOf(outsider), digest(group, transitionHash(what)));
        expectInvalidEndorsement(committeeOf(group).members[1], outsider);
        group.execute(what, endorsements);
    }

    function test_Attack_CountOneSignerTwice() public {
        IPrivacyGroup.Transition memory what = simple();
        address[] memory members = committeeOf(group).members;
        IPrivacyGroup.Endorsements memory endorsements = endorseBy(group, transitionHash(what), 1);
        IPrivacyGroup.Signature memory only = endorsements.signatures[0];
        endorsements.signatures = new IPrivacyGroup.Signature[](2);
        (endorsements.signatures[0], endorsements.signatures[1]) = (only, only);

        expectError(IPrivacyGroup.PrivacyGroupSignatureCount.selector, 2, 1);
        group.execute(what, endorsements);
        endorsements.signers = BOTH;
        expectInvalidEndorsement(members[1], members[0]);
        group.execute(what, endorsements);
    }

    function test_Attack_SignaturesOutOfOrder() public {
        IPrivacyGroup.Transition memory what = simple();
        address[] memory members = committeeOf(group).members;
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));
        (endorsements.signatures[0], endorsements.signatures[1]) = (
            endorsements.signatures[1],
            endorsements.signatures[0]
        );
        expectInvalidEndorsement(members[0], members[1]);
        group.execute(what, endorsements);
    }

    /// @dev A long list of signatures costs the caller a refusal after the first few, not a long loop.
    function test_Attack_TooManySignatures() public {
        IPrivacyGroup.Transition memory what = simple();
        IPrivacyGroup.Endorsements memory endorsements = endorseBy(group, transitionHash(what), 7);
        IPrivacyGroup.Signature[] memory many = new IPrivacyGroup.Signature[](1_000);
        for (uint256 i = 0; i < many.length; ++i) many[i] = endorsements.signatures[i % 3];
        endorsements.signatures = many;
        expectError(IPrivacyGroup.PrivacyGroupSignatureCount.selector, 1_000, 3);
        group.execute(what, endorsements);
    }

    // ---------------------------------------------------------------------------------------- epochs and purpose

    function test_Attack_SignaturesOfAnOldEpoch() public {
        IPrivacyGroup.Transition memory what = simple();
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));
        changeCommittee(group, committeeOf(group).members, 2); // The same members, and still.

        expectError(IPrivacyGroup.PrivacyGroupWrongEpoch.selector, 0, 1);
        group.execute(what, endorsements);
        what.epoch = 1;
        _expectRefusedSignature(endorsements, what);
        group.execute(what, endorsements);
    }

    function test_Attack_ApprovalOfAnOldEpoch() public {
        IPrivacyGroup.Transition memory what = simple();
        approveFor(group, what, ATTACKER);
        changeCommittee(group, committeeOf(group).members, 2);

        expectError(IPrivacyGroup.PrivacyGroupWrongEpoch.selector, 0, 1);
        vm.prank(ATTACKER);
        group.executeApproved(what);
        what.epoch = 1;
        vm.expectRevert(
            abi.encodeWithSelector(IPrivacyGroup.PrivacyGroupNotApproved.selector, transitionHash(what), ATTACKER)
        );
        vm.prank(ATTACKER);
        group.executeApproved(what);
    }

    /// @dev Members who know that they will be voted out cannot leave an approval behind for the time after.
    function test_Attack_ApprovalOfAFutureEpoch() public {
        IPrivacyGroup.Transition memory what = simple();
        what.epoch = 1;
        IPrivacyGroup.Endorsements memory endorsements = endorse(
            group,
            TypedData.hashApproval(transitionHash(what), ATTACKER)
        );
        expectError(IPrivacyGroup.PrivacyGroupWrongEpoch.selector, 1, 0);
        group.approve(what, ATTACKER, endorsements);

        address old = committeeOf(group).members[0];
        changeCommittee(group, 3, 2);
        expectInvalidEndorsement(committeeOf(group).members[0], old);
        group.approve(what, ATTACKER, endorsements);
    }

    function test_Attack_ReplayACommitteeChange() public {
        IPrivacyGroup.CommitteeChange memory change = IPrivacyGroup.CommitteeChange({
            epoch: 0,
            members: committeeOf(group).members,
            threshold: 1,
            validUntil: 0
        });
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, committeeChangeHash(change));
        group.changeCommittee(change, endorsements);
        expectError(IPrivacyGroup.PrivacyGroupWrongEpoch.selector, 0, 1);
        group.changeCommittee(change, endorsements);
    }

    function test_Attack_ExecuteWithSignaturesOfAnApproval() public {
        IPrivacyGroup.Transition memory what = simple();
        bytes32 approval = TypedData.hashApproval(transitionHash(what), ATTACKER);
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, approval);
        _expectRefusedSignature(endorsements, what);
        vm.prank(ATTACKER);
        group.execute(what, endorsements);
    }

    function test_Attack_ApproveWithSignaturesOfAnExecution() public {
        IPrivacyGroup.Transition memory what = simple();
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));
        bytes32 signed = digest(group, TypedData.hashApproval(transitionHash(what), ATTACKER));
        expectInvalidEndorsement(committeeOf(group).members[0], recovered(endorsements.signatures[0], signed));
        group.approve(what, ATTACKER, endorsements);
    }

    function test_Attack_TakeAnApprovalForAnotherDelegate() public {
        IPrivacyGroup.Transition memory what = simple();
        IPrivacyGroup.Endorsements memory endorsements = endorse(
            group,
            TypedData.hashApproval(transitionHash(what), address(this))
        );
        bytes32 signed = digest(group, TypedData.hashApproval(transitionHash(what), ATTACKER));
        expectInvalidEndorsement(committeeOf(group).members[0], recovered(endorsements.signatures[0], signed));
        vm.prank(ATTACKER);
        group.approve(what, ATTACKER, endorsements);
    }

    // ------------------------------------------------------------------------------------------------- creation

    function test_Attack_CallTheImplementation() public {
        IPrivacyGroup implementation = IPrivacyGroup(groupFactory().implementation());
        IPrivacyGroup.Transition memory what = simple();
        IPrivacyGroup.CommitteeChange memory change;
        IPrivacyGroup.Endorsements memory endorsements;
        bytes4 selector = IPrivacyGroup.PrivacyGroupNotAnInstance.selector;

        expectError(selector);
        implementation.execute(what, endorsements);
        expectError(selector);
        implementation.approve(what, ATTACKER, endorsements);
        expectError(selector);
        implementation.executeApproved(what);
        expectError(selector);
        implementation.changeCommittee(change, endorsements);
        expectError(selector);
        implementation.committee();
        expectError(selector);
        implementation.allowsExternalCalls();

        assertNotFulfilled(implementation, "a");
        assertSpent(implementation, "a");
        isTrue(!implementation.isApproved("a", ATTACKER), "nothing is approved");
    }

    /// @dev The attacker sees a creation and is first, with the same or with its own configuration.
    function test_Attack_FrontRunTheCreationOfAGroup() public {
        IPrivacyGroupFactory factory = groupFactory();
        address[] memory members = createMembers(3);
        IPrivacyGroupFactory.GroupConfig memory config = IPrivacyGroupFactory.GroupConfig(members, 2, false);
        address expected = factory.groupAddress(address(this), config, "salt");

        vm.prank(ATTACKER);
        isTrue(factory.createGroup(config, "salt") != expected, "another address for the attacker");
        config.members = createMembers(1);
        config.threshold = 1;
        vm.prank(ATTACKER);
        isTrue(factory.createGroup(config, "salt") != expected, "another address for another group");

        config.members = members;
        config.threshold = 2;
        equal(factory.createGroup(config, "salt"), expected);
    }

    /// @dev There is no initialiser to find: every function that is not the group's own is refused.
    function testFuzz_Attack_CallAnUnknownFunction(bytes4 selector, uint256 argument) public {
        vm.assume(
            selector != IPrivacyGroup.isFulfilled.selector &&
                selector != IPrivacyGroup.isUnspent.selector &&
                selector != IPrivacyGroup.isApproved.selector &&
                selector != IPrivacyGroup.committee.selector &&
                selector != IPrivacyGroup.allowsExternalCalls.selector &&
                selector != bytes4(keccak256("eip712Domain()"))
        );
        (bool success, ) = address(group).call(abi.encodeWithSelector(selector, argument));
        isTrue(!success, "refused");
    }

    function test_Attack_TakeOverTheCommittee() public {
        address[] memory old = committeeOf(group).members;
        address[] memory own = createMembers(1);
        IPrivacyGroup.CommitteeChange memory change = IPrivacyGroup.CommitteeChange(0, own, 1, 0);
        IPrivacyGroup.Endorsements memory endorsements;
        endorsements.signers = 1;
        endorsements.signatures = new IPrivacyGroup.Signature[](1);
        endorsements.signatures[0] = signatureOf(keyOf(own[0]), digest(group, committeeChangeHash(change)));
        expectInvalidEndorsement(old[0], own[0]);
        vm.prank(ATTACKER);
        group.changeCommittee(change, endorsements);
        (uint64 epoch, address[] memory members, ) = group.committee();
        equal(epoch, 0);
        equal(abi.encode(members), abi.encode(old));
    }

    function test_Attack_CommitteeWithADuplicateAZeroOrNoQuorum() public {
        address[] memory members = new address[](2);
        (members[0], members[1]) = (ATTACKER, ATTACKER);
        bytes4 selector = IPrivacyGroup.PrivacyGroupMembersNotAscending.selector;
        vm.expectRevert(abi.encodeWithSelector(selector, ATTACKER, ATTACKER));
        changeCommittee(group, members, 1);
        members[0] = address(0);
        vm.expectRevert(abi.encodeWithSelector(selector, address(0), address(0)));
        changeCommittee(group, members, 1);
        members[0] = address(1);
        expectError(IPrivacyGroup.PrivacyGroupInvalidThreshold.selector, 0, 2);
        changeCommittee(group, members, 0);
        expectError(IPrivacyGroup.PrivacyGroupInvalidThreshold.selector, 3, 2);
        changeCommittee(group, members, 3);
        (uint64 epoch, , ) = group.committee();
        equal(epoch, 0);
    }

    // ------------------------------------------------------------------------------------------- external calls

    function test_Attack_ReenterThroughAnExternalCall() public {
        group = createGroup(3, 2, true);
        Reentrant reentrant = new Reentrant();
        IPrivacyGroup.Transition memory inner = transition(group, "inner", none(), list("y"));
        IPrivacyGroup.Transition memory outer = transition(group, "outer", none(), list("x"));
        outer.calls = calls(address(reentrant), abi.encodeCall(Reentrant.attack, ()));

        reentrant.prepare(abi.encodeCall(IPrivacyGroup.execute, (inner, endorse(group, transitionHash(inner)))));
        uint256 before = vm.snapshotState();
        submit(group, outer);
        _wasRefused(reentrant);

        vm.revertToState(before);
        approveFor(group, inner, address(reentrant));
        reentrant.prepare(abi.encodeCall(IPrivacyGroup.executeApproved, (inner)));
        submit(group, outer);
        _wasRefused(reentrant);

        // The guard is open again afterwards, within the same transaction.
        submit(group, inner);
        assertFulfilled(group, "inner");
    }

    /// @dev Nor can it change who endorses, or approve anything, with endorsements that are otherwise good.
    function test_Attack_ReenterApproveAndChangeCommittee() public {
        group = createGroup(3, 2, true);
        Reentrant reentrant = new Reentrant();
        IPrivacyGroup.Transition memory inner = transition(group, "inner", none(), list("y"));
        IPrivacyGroup.Transition memory outer = transition(group, "outer", none(), list("x"));
        outer.calls = calls(address(reentrant), abi.encodeCall(Reentrant.attack, ()));

        bytes32 approval = TypedData.hashApproval(transitionHash(inner), ATTACKER);
        reentrant.prepare(abi.encodeCall(IPrivacyGroup.approve, (inner, ATTACKER, endorse(group, approval))));
        uint256 before = vm.snapshotState();
        submit(group, outer);
        _wasRefused(reentrant);
        isTrue(!group.isApproved(transitionHash(inner), ATTACKER), "not approved");

        vm.revertToState(before);
        IPrivacyGroup.CommitteeChange memory change = IPrivacyGroup.CommitteeChange(0, createMembers(1), 1, 0);
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, committeeChangeHash(change));
        reentrant.prepare(abi.encodeCall(IPrivacyGroup.changeCommittee, (change, endorsements)));
        submit(group, outer);
        _wasRefused(reentrant);
        (uint64 epoch, , ) = group.committee();
        equal(epoch, 0);

        // Both are possible again afterwards, within the same transaction.
        approveFor(group, inner, ATTACKER);
        group.changeCommittee(change, endorsements);
    }

    function test_Attack_ReplayFromWithinAnExternalCall() public {
        group = createGroup(3, 2, true);
        Reentrant reentrant = new Reentrant();
        IPrivacyGroup.Transition memory what = transition(group, "a", none(), none());
        what.calls = calls(address(reentrant), abi.encodeCall(Reentrant.attack, ()));
        reentrant.prepare(abi.encodeCall(IPrivacyGroup.execute, (what, endorse(group, transitionHash(what)))));
        submit(group, what);
        isTrue(!reentrant.hasSucceeded(), "refused");
    }

    /// @dev A target that answers with megabytes makes only itself pay.
    function test_Attack_ReturnDataBomb() public {
        group = createGroup(1, 1, true);
        Bomb bomb = new Bomb();
        IPrivacyGroup.Transition memory what = transition(group, "a", none(), none());
        what.calls = calls(address(bomb), abi.encodeCall(Bomb.revertWith, (1_000_000)));
        bytes memory data = abi.encodeCall(IPrivacyGroup.execute, (what, endorse(group, transitionHash(what))));
        (bool success, bytes memory reason) = address(group).call(data);
        isTrue(!success, "failed");
        equal(bytes32(bytes4(reason)), bytes32(IExternalCalls.ExternalCallFailed.selector));
        // Selector, index, target, offset and length, and the 1,024 bytes that are kept.
        equal(reason.length, 4 + 4 * 32 + 1_024);

        uint256 gas = gasleft();
        bomb.returnWith(1_000_000);
        uint256 alone = gas - gasleft();
        what.calls = calls(address(bomb), abi.encodeCall(Bomb.returnWith, (1_000_000)));
        data = abi.encodeCall(IPrivacyGroup.execute, (what, endorse(group, transitionHash(what))));
        gas = gasleft();
        (success, ) = address(group).call(data);
        uint256 throughGroup = gas - gasleft();
        isTrue(success, "taken");
        isTrue(throughGroup < alone + 100_000, "the bytes are not copied");
    }

    function test_Attack_CallAnAddressWithoutCode() public {
        group = createGroup(3, 2, true);
        IPrivacyGroup.Transition memory what = simple();
        what.calls = calls(ATTACKER, "");
        vm.expectRevert(abi.encodeWithSelector(IExternalCalls.ExternalCallWithoutCode.selector, ATTACKER));
        submit(group, what);
    }

    function test_Attack_SendValue() public {
        IPrivacyGroup.Transition memory what = simple();
        bytes memory data = abi.encodeCall(IPrivacyGroup.execute, (what, endorse(group, transitionHash(what))));
        vm.deal(address(this), 1 ether);
        (bool success, ) = address(group).call{ value: 1 }(data);
        isTrue(!success, "with a call");
        (success, ) = address(group).call{ value: 1 }("");
        isTrue(!success, "without a call");
        (success, ) = address(groupFactory()).call{ value: 1 }("");
        isTrue(!success, "to the factory");
        equal(address(group).balance, 0);
        (success, ) = address(group).call(data);
        isTrue(success, "without value");
    }

    // ---------------------------------------------------------------------------------------------------- atoms

    function test_Attack_CarryOutOneLegOfASwap() public {
        IAtomFactory atoms = IAtomFactory(deploy("contracts/AtomFactory.sol:AtomFactory"));
        (IExternalCalls.ExternalCall[] memory swap, IPrivacyGroup.Transition memory give) = _swap(atoms);

        // Directly,
        vm.expectRevert(
            abi.encodeWithSelector(IPrivacyGroup.PrivacyGroupNotApproved.selector, transitionHash(give), ATTACKER)
        );
        vm.prank(ATTACKER);
        group.executeApproved(give);

        // as an atom of its own,
        IExternalCalls.ExternalCall[] memory leg = new IExternalCalls.ExternalCall[](1);
        leg[0] = swap[0];
        bytes memory reason = abi.encodeWithSelector(
            IPrivacyGroup.PrivacyGroupNotApproved.selector,
            transitionHash(give),
            atoms.atomAddress(leg, "")
        );
        vm.expectRevert(abi.encodeWithSelector(IExternalCalls.ExternalCallFailed.selector, 0, address(group), reason));
        atoms.execute(leg, "");
        assertNotFulfilled(group, "give");

        // or through the atom after it did its work.
        address atom = atoms.execute(swap, "");
        assertFulfilled(group, "give");
        vm.expectRevert(abi.encodeWithSelector(Atom.AtomNotFactory.selector, ATTACKER));
        vm.prank(ATTACKER);
        Atom(atom).run(leg);
    }

    function test_Attack_ExecuteAnAtomTwice() public {
        IAtomFactory atoms = IAtomFactory(deploy("contracts/AtomFactory.sol:AtomFactory"));
        (IExternalCalls.ExternalCall[] memory swap, ) = _swap(atoms);
        address atom = atoms.execute(swap, "");
        vm.expectRevert(abi.encodeWithSelector(IAtomFactory.AtomAlreadyExecuted.selector, atom));
        vm.prank(ATTACKER);
        atoms.execute(swap, "");
    }

    /// @dev The atom calls the attacker, who asks the factory to run the same atom again.
    function test_Attack_ReenterAnAtom() public {
        IAtomFactory atoms = IAtomFactory(deploy("contracts/AtomFactory.sol:AtomFactory"));
        Reentrant reentrant = new Reentrant();
        IExternalCalls.ExternalCall[] memory what = calls(address(reentrant), abi.encodeCall(Reentrant.attack, ()));
        // The attack goes back to its caller, the atom.
        reentrant.prepare(abi.encodeCall(Atom.run, (what)));
        atoms.execute(what, "");
        isTrue(!reentrant.hasSucceeded(), "refused");
        equal(reentrant.result(), abi.encodeWithSelector(Atom.AtomNotFactory.selector, address(reentrant)));
    }

    /// @dev A leg that fails takes the others with it, whatever order they are in.
    function test_Attack_LetOneLegOfASwapFail() public {
        IAtomFactory atoms = IAtomFactory(deploy("contracts/AtomFactory.sol:AtomFactory"));
        (IExternalCalls.ExternalCall[] memory swap, IPrivacyGroup.Transition memory give) = _swap(atoms);
        // The attacker's group fulfils the other leg's intent beforehand, so that it cannot happen again.
        IPrivacyGroup other = IPrivacyGroup(swap[1].target);
        submit(other, transition(other, "take", none(), none()));

        bytes memory reason = abi.encodeWithSelector(
            IPrivacyGroup.PrivacyGroupIntentFulfilled.selector,
            bytes32("take")
        );
        vm.expectRevert(abi.encodeWithSelector(IExternalCalls.ExternalCallFailed.selector, 1, address(other), reason));
        atoms.execute(swap, "");
        assertNotFulfilled(group, "give");
        assertSpent(group, outputIds(give)[0]);
    }

    function test_Attack_RunTheImplementationOfAtoms() public {
        Counter counter = new Counter();
        // This test is the one that deployed it, and so its factory; anybody else is refused.
        Atom atom = new Atom();
        vm.expectRevert(abi.encodeWithSelector(Atom.AtomNotFactory.selector, ATTACKER));
        vm.prank(ATTACKER);
        atom.run(calls(address(counter), abi.encodeCall(Counter.increment, ())));
        equal(counter.count(), 0);
    }

    // -------------------------------------------------------------------------------------------------- helpers

    function _swap(
        IAtomFactory atoms
    ) private returns (IExternalCalls.ExternalCall[] memory swap, IPrivacyGroup.Transition memory give) {
        IPrivacyGroup other = createGroup(1, 1);
        give = transition(group, "give", none(), list("x"));
        IPrivacyGroup.Transition memory take = transition(other, "take", none(), list("y"));
        swap = new IExternalCalls.ExternalCall[](2);
        swap[0] = IExternalCalls.ExternalCall(address(group), abi.encodeCall(IPrivacyGroup.executeApproved, (give)), 0);
        swap[1] = IExternalCalls.ExternalCall(address(other), abi.encodeCall(IPrivacyGroup.executeApproved, (take)), 0);
        approveFor(group, give, atoms.atomAddress(swap, ""));
        approveFor(other, take, atoms.atomAddress(swap, ""));
    }

    function _wasRefused(Reentrant reentrant) private view {
        isTrue(!reentrant.hasSucceeded(), "refused");
        equal(
            reentrant.result(),
            abi.encodeWithSelector(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector)
        );
        assertFulfilled(group, "outer");
        assertNotFulfilled(group, "inner");
    }

    function _recoveredLowS(IPrivacyGroup.Signature memory signature, bytes32 signed) private pure returns (address) {
        uint256 s = (uint256(signature.vs) << 1) >> 1;
        return s > ORDER / 2 ? address(0) : recovered(signature, signed);
    }

    /// @dev The first signature is not one of the first member over `what`.
    function _expectRefusedSignature(
        IPrivacyGroup.Endorsements memory endorsements,
        IPrivacyGroup.Transition memory what
    ) private {
        expectInvalidEndorsement(
            committeeOf(group).members[0],
            recovered(endorsements.signatures[0], digest(group, transitionHash(what)))
        );
    }
}
