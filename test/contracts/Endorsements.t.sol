// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { LedgerTest } from "./LedgerTest.sol";

contract EndorsementsTest is LedgerTest {
    bytes32 internal constant INTENT = "intent";
    bytes32 internal hash;

    function setUp() public override {
        super.setUp();
        hash = transitionHash(_what());
    }

    function test_AnyMembersMaySign() public {
        for (uint256 signers = 1; signers < 8; ++signers) {
            uint256 state = vm.snapshotState();
            bool isEnough = signers & (signers - 1) != 0;
            if (!isEnough) expectError(IPrivacyGroup.PrivacyGroupThresholdNotReached.selector, 1, 2);
            group.execute(_what(), endorseBy(group, hash, signers));
            isTrue(group.isFulfilled(INTENT) == isEnough, "two of three");
            vm.revertToState(state);
        }
    }

    function test_MoreThanTheThresholdMaySign() public {
        group.execute(_what(), endorseBy(group, hash, 7));
        assertFulfilled(group, INTENT);
    }

    function test_RevertWhen_NobodySigned() public {
        IPrivacyGroup.Endorsements memory nobody;
        expectError(IPrivacyGroup.PrivacyGroupThresholdNotReached.selector, 0, 2);
        group.execute(_what(), nobody);
    }

    function test_RevertWhen_OneFewerThanTheThresholdSigned() public {
        IPrivacyGroup.Endorsements memory endorsements = endorseBy(group, hash, 4);
        expectError(IPrivacyGroup.PrivacyGroupThresholdNotReached.selector, 1, 2);
        group.execute(_what(), endorsements);
    }

    function test_RevertWhen_ABitStandsForNobody() public {
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, hash);
        endorsements.signers = 8 | BOTH;
        expectError(IPrivacyGroup.PrivacyGroupUnknownSigners.selector, 8 | BOTH, 3);
        group.execute(_what(), endorsements);
        endorsements.signers = type(uint256).max;
        expectError(IPrivacyGroup.PrivacyGroupUnknownSigners.selector, type(uint256).max, 3);
        group.execute(_what(), endorsements);
    }

    function test_RevertWhen_ASignatureIsMissing() public {
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, hash);
        endorsements.signers = 7;
        expectError(IPrivacyGroup.PrivacyGroupSignatureCount.selector, 2, 3);
        group.execute(_what(), endorsements);
    }

    function test_RevertWhen_ThereIsASignatureTooMany() public {
        IPrivacyGroup.Endorsements memory endorsements = endorseBy(group, hash, 7);
        endorsements.signers = BOTH;
        expectError(IPrivacyGroup.PrivacyGroupSignatureCount.selector, 3, 2);
        group.execute(_what(), endorsements);
    }

    function test_RevertWhen_AMemberSignedSomethingElse() public {
        bytes32 other = keccak256("other");
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, hash);
        endorsements.signatures[1] = endorse(group, other).signatures[1];
        expectInvalidEndorsement(
            committeeOf(group).members[1],
            recovered(endorsements.signatures[1], digest(group, hash))
        );
        group.execute(_what(), endorsements);
    }

    /// @dev Every field is signed: change any one of them, and the signatures are worth nothing.
    function test_EveryFieldIsSigned() public {
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, hash);
        bytes32 state = coin("state");
        IPrivacyGroup.Transition memory changed = _what();
        changed.intents = list("other");
        _refused(changed, endorsements);
        changed = _what();
        changed.inputs = list(state);
        changed.outputs = list("x");
        _refused(changed, endorsements);
        changed = _what();
        changed.reads = list(state);
        _refused(changed, endorsements);
        changed = _what();
        changed.outputs = list("x");
        _refused(changed, endorsements);
        changed = _what();
        changed.details = "x";
        _refused(changed, endorsements);
        changed = _what();
        changed.validUntil = 1000;
        _refused(changed, endorsements);
        changed = _what();
        changed.calls = calls(address(this), "");
        _refused(changed, endorsements);
        group.execute(_what(), endorsements);
    }

    /// @dev A committee of the largest size, with as many signatures as there can be.
    function test_255MembersCanSign() public {
        group = createGroup(255, 255);
        IPrivacyGroup.Transition memory what = simple();
        IPrivacyGroup.Endorsements memory endorsements = endorseBy(group, transitionHash(what), (1 << 255) - 1);
        group.execute(what, endorsements);
        assertFulfilled(group, what.intents[0]);

        what = simple();
        endorsements = endorseBy(group, transitionHash(what), (1 << 254) - 1);
        expectError(IPrivacyGroup.PrivacyGroupThresholdNotReached.selector, 254, 255);
        group.execute(what, endorsements);
    }

    function test_RevertWhen_Bit255IsSetInTheLargestCommittee() public {
        group = createGroup(255, 1);
        IPrivacyGroup.Transition memory what = simple();
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));
        endorsements.signers = 1 << 255;
        expectError(IPrivacyGroup.PrivacyGroupUnknownSigners.selector, 1 << 255, 255);
        group.execute(what, endorsements);
    }

    function test_TheLastMemberOf255CanSignAlone() public {
        group = createGroup(255, 1);
        IPrivacyGroup.Transition memory what = simple();
        group.execute(what, endorseBy(group, transitionHash(what), 1 << 254));
        assertFulfilled(group, what.intents[0]);
    }

    function _what() private view returns (IPrivacyGroup.Transition memory) {
        return transition(group, INTENT, none(), none());
    }

    function _refused(IPrivacyGroup.Transition memory changed, IPrivacyGroup.Endorsements memory endorsements) private {
        expectInvalidEndorsement(
            committeeOf(group).members[0],
            recovered(endorsements.signatures[0], digest(group, transitionHash(changed)))
        );
        group.execute(changed, endorsements);
    }
}
