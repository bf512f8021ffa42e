// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { LedgerTest } from "./LedgerTest.sol";

contract CommitteesTest is LedgerTest {
    function test_TheNewCommitteeTakesOver() public {
        address[] memory members = createMembers(4);
        vm.expectEmit(address(group));
        emit IPrivacyGroup.CommitteeChanged(1, members, 3);
        changeCommittee(group, members, 3);

        (uint64 epoch, address[] memory current, uint8 threshold) = group.committee();
        equal(epoch, 1);
        equal(abi.encode(current), abi.encode(members));
        equal(threshold, 3);

        IPrivacyGroup.Transition memory what = simple();
        equal(what.epoch, 1);
        IPrivacyGroup.Endorsements memory endorsements = endorseBy(group, transitionHash(what), 6);
        expectError(IPrivacyGroup.PrivacyGroupThresholdNotReached.selector, 2, 3);
        group.execute(what, endorsements);
        group.execute(what, endorseBy(group, transitionHash(what), 14));
        assertFulfilled(group, what.intents[0]);
    }

    function test_StatesAndIntentsOutliveACommittee() public {
        bytes32 state = coin("x");
        submit(group, transition(group, "a", none(), none()));
        changeCommittee(group, 1, 1);
        assertFulfilled(group, "a");
        assertUnspent(group, state);
        submit(group, transition(group, "b", list(state), none()));
        assertSpent(group, state);
    }

    function test_EpochsCountUp() public {
        for (uint64 i = 1; i <= 5; ++i) {
            changeCommittee(group, i, 1);
            (uint64 epoch, address[] memory members, ) = group.committee();
            equal(epoch, i);
            equal(members.length, i);
        }
    }

    function test_TheOptionForExternalCallsOutlivesACommittee() public {
        IPrivacyGroup open = createGroup(1, 1, true);
        isTrue(open.allowsExternalCalls() && !group.allowsExternalCalls(), "before");
        changeCommittee(open, 2, 2);
        changeCommittee(group, 2, 2);
        isTrue(open.allowsExternalCalls() && !group.allowsExternalCalls(), "after");
    }

    function test_255MembersAreTaken() public {
        address[] memory members = _ascending(255);
        changeCommittee(group, members, 255);
        (, address[] memory current, uint8 threshold) = group.committee();
        equal(abi.encode(current), abi.encode(members));
        equal(threshold, 255);
    }

    function test_RevertWhen_ThereAre256Members() public {
        expectError(IPrivacyGroup.PrivacyGroupTooManyMembers.selector, 256, 255);
        changeCommittee(group, _ascending(256), 1);
    }

    function test_RevertWhen_ThereAreNoMembers() public {
        expectError(IPrivacyGroup.PrivacyGroupInvalidThreshold.selector, 1, 0);
        changeCommittee(group, _ascending(0), 1);
    }

    function test_RevertWhen_TheThresholdIsZero() public {
        expectError(IPrivacyGroup.PrivacyGroupInvalidThreshold.selector, 0, 3);
        changeCommittee(group, _ascending(3), 0);
    }

    function test_RevertWhen_TheThresholdIsAboveTheMembers() public {
        expectError(IPrivacyGroup.PrivacyGroupInvalidThreshold.selector, 4, 3);
        changeCommittee(group, _ascending(3), 4);
    }

    function test_ThresholdsFromOneToAllAreTaken() public {
        changeCommittee(group, 3, 1);
        changeCommittee(group, 3, 3);
    }

    function test_RevertWhen_AMemberStandsTwice() public {
        address[] memory members = _ascending(3);
        members[2] = members[1];
        _expectNotAscending(members[1], members[1]);
        changeCommittee(group, members, 1);
    }

    function test_RevertWhen_AMemberIsZero() public {
        address[] memory members = _ascending(3);
        members[0] = address(0);
        _expectNotAscending(address(0), address(0));
        changeCommittee(group, members, 1);
    }

    function test_RevertWhen_MembersDescend() public {
        address[] memory members = _ascending(3);
        (members[1], members[2]) = (members[2], members[1]);
        _expectNotAscending(members[1], members[2]);
        changeCommittee(group, members, 1);
    }

    function test_RevertWhen_EndorsedByTooFew() public {
        IPrivacyGroup.CommitteeChange memory change = _change();
        IPrivacyGroup.Endorsements memory endorsements = endorseBy(group, committeeChangeHash(change), 4);
        expectError(IPrivacyGroup.PrivacyGroupThresholdNotReached.selector, 1, 2);
        group.changeCommittee(change, endorsements);
    }

    function test_RevertWhen_EndorsedByTheNewCommittee() public {
        IPrivacyGroup.CommitteeChange memory change = _change();
        change.members = createMembers(3);
        bytes32 signed = digest(group, committeeChangeHash(change));
        IPrivacyGroup.Endorsements memory endorsements;
        endorsements.signers = BOTH;
        endorsements.signatures = new IPrivacyGroup.Signature[](2);
        for (uint256 i = 0; i < 2; ++i) endorsements.signatures[i] = signatureOf(keyOf(change.members[i]), signed);
        expectInvalidEndorsement(committeeOf(group).members[0], change.members[0]);
        group.changeCommittee(change, endorsements);
    }

    function test_RevertWhen_TheEpochIsNotTheCurrentOne() public {
        IPrivacyGroup.CommitteeChange memory change = _change();
        change.epoch = 1;
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, committeeChangeHash(change));
        expectError(IPrivacyGroup.PrivacyGroupWrongEpoch.selector, 1, 0);
        group.changeCommittee(change, endorsements);
    }

    function test_ValidUntilIsTheLastBlock() public {
        IPrivacyGroup.CommitteeChange memory change = _change();
        change.validUntil = 101;
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, committeeChangeHash(change));
        vm.roll(102);
        expectError(IPrivacyGroup.PrivacyGroupExpired.selector, 101, 102);
        group.changeCommittee(change, endorsements);
        vm.roll(101);
        group.changeCommittee(change, endorsements);
        (uint64 epoch, , ) = group.committee();
        equal(epoch, 1);
    }

    /// @dev Every field of a change is signed.
    function test_EveryFieldIsSigned() public {
        IPrivacyGroup.CommitteeChange memory change = _change();
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, committeeChangeHash(change));
        change.threshold = 1;
        _refused(change, endorsements);
        change = _change();
        change.validUntil = 1_000;
        _refused(change, endorsements);
        change.validUntil = 0;
        change.members = _ascending(4);
        _refused(change, endorsements);
    }

    function _refused(
        IPrivacyGroup.CommitteeChange memory change,
        IPrivacyGroup.Endorsements memory endorsements
    ) private {
        bytes32 signed = digest(group, committeeChangeHash(change));
        expectInvalidEndorsement(committeeOf(group).members[0], recovered(endorsements.signatures[0], signed));
        group.changeCommittee(change, endorsements);
    }

    function _change() private view returns (IPrivacyGroup.CommitteeChange memory) {
        return
            IPrivacyGroup.CommitteeChange({
                epoch: committeeOf(group).epoch,
                members: _ascending(3),
                threshold: 2,
                validUntil: 0
            });
    }

    function _ascending(uint160 count) private pure returns (address[] memory members) {
        members = new address[](count);
        for (uint160 i = 0; i < count; ++i) members[i] = address(i + 1);
    }

    function _expectNotAscending(address previous, address member) private {
        vm.expectRevert(
            abi.encodeWithSelector(IPrivacyGroup.PrivacyGroupMembersNotAscending.selector, previous, member)
        );
    }
}
