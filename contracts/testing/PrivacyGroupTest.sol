// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { PrivacyGroupFactory } from "../PrivacyGroupFactory.sol";
import { IExternalCalls } from "../interfaces/IExternalCalls.sol";
import { IPrivacyGroup } from "../interfaces/IPrivacyGroup.sol";
import { IPrivacyGroupFactory } from "../interfaces/IPrivacyGroupFactory.sol";
import { TypedData } from "../libraries/TypedData.sol";
// The other name keeps forge-std's `Vm` free for whoever imports this file as a whole.
import { Vm as PrivacyGroupVm } from "./Vm.sol";

/// @title Inherit this to test contracts that work with privacy groups
/// @notice Groups with throw-away keys, and whole transitions in one line. Works in the Solidity tests of Hardhat 3 and
/// in Foundry, alone or next to forge-std's `Test`.
///
/// ```solidity
/// contract CoinTest is PrivacyGroupTest {
///     function test_ACoinIsSpentOnce() public {
///         IPrivacyGroup group = createGroup(3, 2); // three members, two must sign
///
///         bytes32[] memory coins = submit(group, transition(group, nextIntent("alice"), none(), list("coin")));
///         assertUnspent(group, coins[0]);
///
///         submit(group, transition(group, nextIntent("alice"), coins, list("rest")));
///         assertSpent(group, coins[0]);
///     }
/// }
/// ```
///
/// {submit}, {approveFor} and {changeCommittee} make one call before anything else happens, the one they are named
/// after. So `vm.prank`, `vm.expectRevert` and `vm.expectEmit` go right in front of them.
abstract contract PrivacyGroupTest {
    struct Committee {
        address[] members;
        uint8 threshold;
        uint64 epoch;
    }

    PrivacyGroupVm private constant CHEATS = PrivacyGroupVm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    bytes32 private constant DOMAIN = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );

    IPrivacyGroupFactory private _factory;
    uint256 private _keys;
    uint256 private _groups;
    mapping(address member => uint256 key) private _keyOf;
    mapping(bytes24 lane => uint64 series) private _series;
    mapping(IPrivacyGroup group => Committee committee) private _committees;

    error PrivacyGroupTestNotFulfilled(IPrivacyGroup group, bytes32 intentId);
    error PrivacyGroupTestFulfilled(IPrivacyGroup group, bytes32 intentId);
    error PrivacyGroupTestNotUnspent(IPrivacyGroup group, bytes32 stateId);
    error PrivacyGroupTestNotSpent(IPrivacyGroup group, bytes32 stateId);
    error PrivacyGroupTestNoKey(address member);

    // --------------------------------------------------------------------------------------------------- groups

    /// @dev The factory that makes the groups of this test. Override it to use one that exists.
    function groupFactory() internal virtual returns (IPrivacyGroupFactory) {
        if (address(_factory) == address(0)) _factory = new PrivacyGroupFactory();
        return _factory;
    }

    /// @dev A new group of `count` new members, of whom `threshold` must sign, without external calls.
    function createGroup(uint256 count, uint8 threshold) internal returns (IPrivacyGroup) {
        return createGroup(count, threshold, false);
    }

    /// @dev A new group of `count` new members, of whom `threshold` must sign.
    function createGroup(uint256 count, uint8 threshold, bool externalCalls) internal returns (IPrivacyGroup group) {
        IPrivacyGroupFactory factory = groupFactory();
        IPrivacyGroupFactory.GroupConfig memory config = IPrivacyGroupFactory.GroupConfig({
            members: createMembers(count),
            threshold: threshold,
            externalCalls: externalCalls
        });
        group = IPrivacyGroup(factory.createGroup(config, bytes32(++_groups)));
        follow(group);
    }

    /// @dev New throw-away keys. The addresses ascend, as a committee must, and {keyOf} knows their keys.
    function createMembers(uint256 count) internal returns (address[] memory members) {
        members = new address[](count);
        for (uint256 i = 0; i < count; ++i) {
            uint256 key = uint256(keccak256(abi.encode("hardhat-sequencer", ++_keys)));
            address member = CHEATS.addr(key);
            _keyOf[member] = key;
            uint256 j = i;
            for (; j > 0 && members[j - 1] > member; --j) members[j] = members[j - 1];
            members[j] = member;
        }
    }

    /// @dev The private key of a member that {createMembers} made.
    function keyOf(address member) internal view returns (uint256 key) {
        key = _keyOf[member];
        if (key == 0) revert PrivacyGroupTestNoKey(member);
    }

    /// @dev The committee that endorses for a group.
    function committeeOf(IPrivacyGroup group) internal view returns (Committee memory) {
        return _committees[group];
    }

    /// @dev Takes note of a group's present committee: for groups that {createGroup} did not make, or whose committee
    /// something else than {changeCommittee} changed.
    function follow(IPrivacyGroup group) internal {
        (uint64 epoch, address[] memory members, uint8 threshold) = group.committee();
        _committees[group] = Committee(members, threshold, epoch);
    }

    // ---------------------------------------------------------------------------------------------- transitions

    /// @dev The next id of a lane: the lane, then a number that counts up.
    function nextIntent(bytes24 lane) internal returns (bytes32 intentId) {
        return bytes32(lane) | bytes32(uint256(_series[lane]++));
    }

    /// @dev A transition of the present epoch, with its inputs in order and its outputs padded. Add the rest, such as
    /// `reads`, `validUntil` or `calls`, to what this returns.
    function transition(
        IPrivacyGroup group,
        bytes32 intentId,
        bytes32[] memory inputs,
        bytes32[] memory outputs
    ) internal view returns (IPrivacyGroup.Transition memory result) {
        result.epoch = _committees[group].epoch;
        result.intents = list(intentId);
        result.inputs = sortByRegister(inputs);
        result.outputs = padOutputs(outputs, inputs.length);
    }

    /// @dev Endorses a transition by as many members as must sign, and carries it out.
    /// @return outputs The ids of the states it created.
    function submit(
        IPrivacyGroup group,
        IPrivacyGroup.Transition memory what
    ) internal returns (bytes32[] memory outputs) {
        group.execute(what, endorse(group, transitionHash(what)));
        return outputIds(what);
    }

    /// @dev Approves a transition for a delegate, by as many members as must sign.
    function approveFor(IPrivacyGroup group, IPrivacyGroup.Transition memory what, address delegate) internal {
        group.approve(what, delegate, endorse(group, TypedData.hashApproval(transitionHash(what), delegate)));
    }

    /// @dev Replaces the committee by `count` new members.
    function changeCommittee(IPrivacyGroup group, uint256 count, uint8 threshold) internal {
        changeCommittee(group, createMembers(count), threshold);
    }

    /// @dev Replaces the committee by these members.
    function changeCommittee(IPrivacyGroup group, address[] memory members, uint8 threshold) internal {
        IPrivacyGroup.CommitteeChange memory change = IPrivacyGroup.CommitteeChange({
            epoch: _committees[group].epoch,
            members: members,
            threshold: threshold,
            validUntil: 0
        });
        group.changeCommittee(change, endorse(group, committeeChangeHash(change)));
        follow(group);
    }

    // -------------------------------------------------------------------------------------------------- signing

    /// @dev Endorsements of a struct hash by the first members, as many as must sign.
    function endorse(
        IPrivacyGroup group,
        bytes32 structHash
    ) internal view returns (IPrivacyGroup.Endorsements memory endorsements) {
        return endorseBy(group, structHash, (1 << _committees[group].threshold) - 1);
    }

    /// @dev Endorsements of a struct hash by the members whose bits are set in `signers`.
    function endorseBy(
        IPrivacyGroup group,
        bytes32 structHash,
        uint256 signers
    ) internal view returns (IPrivacyGroup.Endorsements memory endorsements) {
        address[] storage members = _committees[group].members;
        bytes32 signed = digest(group, structHash);
        uint256 count = 0;
        for (uint256 bits = signers; bits != 0; bits &= bits - 1) ++count;
        endorsements.signers = signers;
        endorsements.signatures = new IPrivacyGroup.Signature[](count);
        count = 0;
        for (uint256 i = 0; i < members.length; ++i) {
            if ((signers >> i) & 1 != 0) endorsements.signatures[count++] = signatureOf(keyOf(members[i]), signed);
        }
    }

    /// @dev A compact signature by any key.
    function signatureOf(uint256 key, bytes32 signed) internal pure returns (IPrivacyGroup.Signature memory signature) {
        (signature.r, signature.vs) = CHEATS.signCompact(key, signed);
    }

    /// @dev What members sign: a struct hash, bound to the chain and the group.
    function digest(IPrivacyGroup group, bytes32 structHash) internal view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN,
                keccak256(bytes(TypedData.NAME)),
                keccak256(bytes(TypedData.VERSION)),
                block.chainid,
                group
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }

    /// @dev The EIP-712 struct hash of a transition, which also names it in events and approvals.
    function transitionHash(IPrivacyGroup.Transition memory what) internal pure returns (bytes32) {
        bytes32[] memory calls = new bytes32[](what.calls.length);
        for (uint256 i = 0; i < calls.length; ++i) {
            IExternalCalls.ExternalCall memory call = what.calls[i];
            calls[i] = keccak256(abi.encode(TypedData.EXTERNAL_CALL, call.target, keccak256(call.data), call.gasMin));
        }
        return
            keccak256(
                abi.encode(
                    TypedData.TRANSITION,
                    what.epoch,
                    keccak256(abi.encodePacked(what.intents)),
                    keccak256(abi.encodePacked(what.inputs)),
                    keccak256(abi.encodePacked(what.reads)),
                    keccak256(abi.encodePacked(what.outputs)),
                    what.details,
                    what.validUntil,
                    keccak256(abi.encodePacked(calls))
                )
            );
    }

    /// @dev The EIP-712 struct hash of a committee change.
    function committeeChangeHash(IPrivacyGroup.CommitteeChange memory change) internal pure returns (bytes32) {
        bytes32 members = keccak256(abi.encodePacked(change.members));
        return
            keccak256(
                abi.encode(TypedData.COMMITTEE_CHANGE, change.epoch, members, change.threshold, change.validUntil)
            );
    }

    // --------------------------------------------------------------------------------------------------- states

    /// @dev The ids that a transition's outputs get.
    function outputIds(IPrivacyGroup.Transition memory what) internal pure returns (bytes32[] memory ids) {
        bytes32 intents = keccak256(abi.encodePacked(what.intents));
        ids = new bytes32[](what.outputs.length);
        for (uint256 i = 0; i < ids.length; ++i) {
            ids[i] = keccak256(abi.encode(intents, i, what.outputs[i]));
            if (i < what.inputs.length) {
                ids[i] = bytes32(bytes8(what.inputs[i])) | ((ids[i] << 64) >> 64);
            }
        }
    }

    /// @dev The same ids, in ascending order of their registers.
    function sortByRegister(bytes32[] memory stateIds) internal pure returns (bytes32[] memory sorted) {
        sorted = new bytes32[](stateIds.length);
        for (uint256 i = 0; i < sorted.length; ++i) {
            uint256 j = i;
            for (; j > 0 && sorted[j - 1] > stateIds[i]; --j) sorted[j] = sorted[j - 1];
            sorted[j] = stateIds[i];
        }
    }

    /// @dev The same commitments, followed by vacancies, so that there is a successor for each of `inputs` inputs.
    function padOutputs(bytes32[] memory outputs, uint256 inputs) internal pure returns (bytes32[] memory padded) {
        if (inputs <= outputs.length) return outputs;
        padded = new bytes32[](inputs);
        for (uint256 i = 0; i < outputs.length; ++i) padded[i] = outputs[i];
    }

    // ---------------------------------------------------------------------------------------------------- lists

    function none() internal pure returns (bytes32[] memory) {
        return new bytes32[](0);
    }

    function list(bytes32 a) internal pure returns (bytes32[] memory words) {
        words = new bytes32[](1);
        words[0] = a;
    }

    function list(bytes32 a, bytes32 b) internal pure returns (bytes32[] memory words) {
        words = new bytes32[](2);
        (words[0], words[1]) = (a, b);
    }

    function list(bytes32 a, bytes32 b, bytes32 c) internal pure returns (bytes32[] memory words) {
        words = new bytes32[](3);
        (words[0], words[1], words[2]) = (a, b, c);
    }

    // ----------------------------------------------------------------------------------------------- assertions

    function assertFulfilled(IPrivacyGroup group, bytes32 intentId) internal view {
        if (!group.isFulfilled(intentId)) revert PrivacyGroupTestNotFulfilled(group, intentId);
    }

    function assertNotFulfilled(IPrivacyGroup group, bytes32 intentId) internal view {
        if (group.isFulfilled(intentId)) revert PrivacyGroupTestFulfilled(group, intentId);
    }

    function assertUnspent(IPrivacyGroup group, bytes32 stateId) internal view {
        if (!group.isUnspent(stateId)) revert PrivacyGroupTestNotUnspent(group, stateId);
    }

    /// @dev The ledger forgets what is spent, so a state that never existed passes too.
    function assertSpent(IPrivacyGroup group, bytes32 stateId) internal view {
        if (group.isUnspent(stateId)) revert PrivacyGroupTestNotSpent(group, stateId);
    }
}
