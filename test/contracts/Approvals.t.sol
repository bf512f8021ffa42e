// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { LedgerTest } from "./LedgerTest.sol";

contract ApprovalsTest is LedgerTest {
    address internal constant DELEGATE = address(0xde1e);

    bytes32 internal state;
    bytes32 internal hash;

    function setUp() public override {
        super.setUp();
        state = coin("x");
        hash = transitionHash(_what());
    }

    function test_TheDelegateCarriesItOut() public {
        IPrivacyGroup.Transition memory what = _what();
        approveFor(group, what, DELEGATE);
        assertNotFulfilled(group, "a");

        bytes32[] memory outputs = outputIds(what);
        vm.expectEmit(address(group));
        emit IPrivacyGroup.IntentFulfilled("a");
        vm.expectEmit(address(group));
        emit IPrivacyGroup.Transitioned(hash, what.inputs, outputs);
        vm.prank(DELEGATE);
        group.executeApproved(what);

        assertFulfilled(group, "a");
        assertSpent(group, what.inputs[0]);
        assertUnspent(group, outputs[0]);
    }

    function test_ApprovalIsRecordedAndEmitted() public {
        IPrivacyGroup.Transition memory what = _what();
        isTrue(!group.isApproved(hash, DELEGATE), "not approved before");
        vm.expectEmit(address(group));
        emit IPrivacyGroup.TransitionApproved(hash, DELEGATE);
        approveFor(group, what, DELEGATE);
        isTrue(group.isApproved(hash, DELEGATE), "approved");
        isTrue(!group.isApproved(hash, address(this)), "for nobody else");
        isTrue(!group.isApproved("other", DELEGATE), "for nothing else");
    }

    function test_RevertWhen_ItIsApprovedAlready() public {
        IPrivacyGroup.Transition memory what = _what();
        approveFor(group, what, DELEGATE);
        vm.expectRevert(abi.encodeWithSelector(IPrivacyGroup.PrivacyGroupAlreadyApproved.selector, hash, DELEGATE));
        approveFor(group, what, DELEGATE);
    }

    function test_RevertWhen_TheCallerIsNotTheDelegate() public {
        IPrivacyGroup.Transition memory what = _what();
        approveFor(group, what, DELEGATE);
        vm.expectRevert(abi.encodeWithSelector(IPrivacyGroup.PrivacyGroupNotApproved.selector, hash, address(this)));
        group.executeApproved(what);
    }

    function test_RevertWhen_NothingIsApproved() public {
        IPrivacyGroup.Transition memory what = _what();
        vm.expectRevert(abi.encodeWithSelector(IPrivacyGroup.PrivacyGroupNotApproved.selector, hash, DELEGATE));
        vm.prank(DELEGATE);
        group.executeApproved(what);
    }

    function test_RevertWhen_TheDelegateChangesTheTransition() public {
        IPrivacyGroup.Transition memory what = _what();
        approveFor(group, what, DELEGATE);
        what.details = "other";
        vm.expectRevert(
            abi.encodeWithSelector(IPrivacyGroup.PrivacyGroupNotApproved.selector, transitionHash(what), DELEGATE)
        );
        vm.prank(DELEGATE);
        group.executeApproved(what);
    }

    function test_SeveralDelegatesButOneSuccess() public {
        IPrivacyGroup.Transition memory what = _what();
        approveFor(group, what, DELEGATE);
        approveFor(group, what, address(this));
        group.executeApproved(what);
        expectError(IPrivacyGroup.PrivacyGroupIntentFulfilled.selector, "a");
        vm.prank(DELEGATE);
        group.executeApproved(what);
    }

    function test_RevertWhen_TheMembersCarriedItOutThemselves() public {
        IPrivacyGroup.Transition memory what = _what();
        approveFor(group, what, DELEGATE);
        submit(group, what);
        expectError(IPrivacyGroup.PrivacyGroupIntentFulfilled.selector, "a");
        vm.prank(DELEGATE);
        group.executeApproved(what);
    }

    function test_RevertWhen_ApprovedByTooFew() public {
        IPrivacyGroup.Transition memory what = _what();
        bytes32 approval = _approvalHash(hash, DELEGATE);
        IPrivacyGroup.Endorsements memory endorsements = endorseBy(group, approval, 1);
        expectError(IPrivacyGroup.PrivacyGroupThresholdNotReached.selector, 1, 2);
        group.approve(what, DELEGATE, endorsements);
    }

    function test_ValidUntilBoundsApprovalAndExecution() public {
        IPrivacyGroup.Transition memory what = _what();
        what.validUntil = 101;
        vm.roll(101);
        approveFor(group, what, DELEGATE);

        vm.roll(102);
        expectError(IPrivacyGroup.PrivacyGroupExpired.selector, 101, 102);
        approveFor(group, what, address(this));
        expectError(IPrivacyGroup.PrivacyGroupExpired.selector, 101, 102);
        vm.prank(DELEGATE);
        group.executeApproved(what);

        vm.roll(101);
        vm.prank(DELEGATE);
        group.executeApproved(what);
        assertFulfilled(group, "a");
    }

    /// @dev An approval is a promise about the future: its inputs need not exist yet.
    function test_ApprovalDoesNotLookAtStates() public {
        IPrivacyGroup.Transition memory future = transition(group, "f", list("not yet"), list("y"));
        approveFor(group, future, DELEGATE);
        expectError(IPrivacyGroup.PrivacyGroupStateNotAvailable.selector, "not yet");
        vm.prank(DELEGATE);
        group.executeApproved(future);
    }

    function test_RevertWhen_TheEpochIsNotTheCurrentOne() public {
        IPrivacyGroup.Transition memory what = _what();
        what.epoch = 1;
        expectError(IPrivacyGroup.PrivacyGroupWrongEpoch.selector, 1, 0);
        approveFor(group, what, DELEGATE);
        expectError(IPrivacyGroup.PrivacyGroupWrongEpoch.selector, 1, 0);
        vm.prank(DELEGATE);
        group.executeApproved(what);
    }

    function test_RevertWhen_AnApprovedTransitionIsTooLarge() public {
        IPrivacyGroup.Transition memory what = _what();
        approveFor(group, what, address(this));
        bytes memory data = abi.encodeCall(IPrivacyGroup.executeApproved, (what));
        data = bytes.concat(data, new bytes(131_073 - data.length));
        (bool success, bytes memory reason) = address(group).call(data);
        isTrue(!success, "refused");
        equal(reason, abi.encodeWithSelector(IPrivacyGroup.PrivacyGroupTransitionTooLarge.selector, 131_073, 131_072));
    }

    function _what() private view returns (IPrivacyGroup.Transition memory) {
        return transition(group, "a", list(state), list("y"));
    }

    function _approvalHash(bytes32 transitionHash_, address delegate) private pure returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    keccak256(
                        "Approval(address delegate,Transition transition)ExternalCall(address target,bytes data,uint64 gasMin)Transition(uint64 epoch,bytes32[] intents,bytes32[] inputs,bytes32[] reads,bytes32[] outputs,bytes32 details,uint64 validUntil,ExternalCall[] calls)"
                    ),
                    delegate,
                    transitionHash_
                )
            );
    }
}
