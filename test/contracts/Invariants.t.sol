// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { IPrivacyGroupFactory } from "../../contracts/interfaces/IPrivacyGroupFactory.sol";
import { TypedData } from "../../contracts/libraries/TypedData.sol";
import { Vm } from "../../contracts/testing/Vm.sol";
import { LedgerTest } from "./LedgerTest.sol";

/// @title What holds after every call, whatever was called before
/// @dev The numbers are those of the properties that the ledger guarantees.
contract InvariantsTest {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    Handler private _handler;

    error Broken(string what, bytes32 value, uint256 count);

    function setUp() public {
        _handler = new Handler();
    }

    function targetSelectors() public view returns (FuzzSelector[] memory targets) {
        bytes4[11] memory actions = [
            Handler.transit.selector,
            Handler.transit.selector,
            Handler.stumble.selector,
            Handler.spendTwice.selector,
            Handler.readStale.selector,
            Handler.forge.selector,
            Handler.replay.selector,
            Handler.approve.selector,
            Handler.executeApproved.selector,
            bytes4(keccak256("changeCommittee(uint256)")),
            Handler.wait.selector
        ];
        targets = new FuzzSelector[](1);
        targets[0].addr = address(_handler);
        targets[0].selectors = new bytes4[](actions.length);
        for (uint256 i = 0; i < actions.length; ++i) targets[0].selectors[i] = actions[i];
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    /// @dev A run in which nothing succeeds, or nothing fails, proves nothing.
    function afterInvariant() public view {
        _requireTried();
    }

    function invariant_S1_NoStateIsSpentTwice() public view {
        _requireNone(1);
        for (uint256 g = 0; g < 2; ++g) {
            IPrivacyGroup group = _handler.groups(g);
            bytes32[] memory states = _handler.statesOf(group);
            for (uint256 i = 0; i < states.length; ++i) {
                if (_handler.spendings(group, states[i]) > 1) revert Broken("spent twice", states[i], 2);
            }
        }
    }

    function invariant_S2_NoIntentIsFulfilledTwice() public view {
        _requireNone(2);
        for (uint256 g = 0; g < 2; ++g) {
            IPrivacyGroup group = _handler.groups(g);
            bytes32[] memory intents = _handler.intentsOf(group);
            for (uint256 i = 0; i < intents.length; ++i) {
                if (_handler.fulfilments(group, intents[i]) != 1) revert Broken("fulfilled twice", intents[i], 2);
            }
        }
    }

    function invariant_S3_AStateIsNewThenUnspentThenSpent() public view {
        _requireNone(3);
        for (uint256 g = 0; g < 2; ++g) {
            IPrivacyGroup group = _handler.groups(g);
            bytes32[] memory states = _handler.statesOf(group);
            for (uint256 i = 0; i < states.length; ++i) {
                if (_handler.creations(group, states[i]) != 1) revert Broken("created twice", states[i], 2);
                bool isSpent = _handler.spendings(group, states[i]) != 0;
                if (group.isUnspent(states[i]) == isSpent) revert Broken("came back", states[i], 1);
            }
        }
    }

    function invariant_S4_EveryTransitionIsEndorsed() public view {
        _requireNone(4);
    }

    function invariant_S5_EventsNameWhatWasSigned() public view {
        _requireNone(5);
    }

    function invariant_S6_WhatIsReadIsUnspent() public view {
        _requireNone(6);
    }

    function invariant_S7_ARefusalChangesNothing() public view {
        _requireNone(7);
        _requireNone(0);
    }

    function invariant_S8_EventsRebuildTheState() public view {
        _requireNone(8);
        for (uint256 g = 0; g < 2; ++g) {
            IPrivacyGroup group = _handler.groups(g);
            bytes32[] memory states = _handler.statesOf(group);
            for (uint256 i = 0; i < states.length; ++i) {
                bool isUnspent = group.isUnspent(states[i]);
                if (isUnspent != _handler.foldedStates(group, states[i])) revert Broken("state", states[i], 1);
                bool isModel = _handler.statusOf(group, states[i]) == Handler.Status.Unspent;
                if (isUnspent != isModel) revert Broken("state of the model", states[i], 1);
            }
            bytes32[] memory intents = _handler.intentsOf(group);
            for (uint256 i = 0; i < intents.length; ++i) {
                if (!_handler.foldedIntents(group, intents[i])) revert Broken("intent", intents[i], 1);
                if (!group.isFulfilled(intents[i])) revert Broken("intent of the model", intents[i], 1);
            }
            if (_committee(group) != _handler.foldedCommittee(group)) revert Broken("committee", 0, 1);
        }
    }

    function invariant_S9_NothingHappensWithoutEndorsements() public view {
        _requireNone(9);
        for (uint256 g = 0; g < 2; ++g) {
            IPrivacyGroup group = _handler.groups(g);
            if (_committee(group) != _handler.committeeHash(group)) revert Broken("committee of the model", 0, 1);
        }
    }

    function invariant_S10_CommitteesAreSoundAndEpochsCountUp() public view {
        _requireNone(10);
        uint256 epochs = 0;
        for (uint256 g = 0; g < 2; ++g) {
            (uint64 epoch, address[] memory members, uint8 threshold) = _handler.groups(g).committee();
            epochs += epoch;
            if (threshold == 0 || threshold > members.length) revert Broken("threshold", 0, threshold);
            for (uint256 i = 0; i < members.length; ++i) {
                address previous = i == 0 ? address(0) : members[i - 1];
                if (members[i] <= previous) revert Broken("member", bytes32(bytes20(members[i])), i);
            }
        }
        if (epochs != _handler.committeeChanges()) revert Broken("epochs", 0, epochs);
    }

    function invariant_S11_GasIsBounded() public view {
        _requireNone(11);
    }

    /// @dev The handler by itself, for a fixed number of steps: every kind of refusal, and plenty of successes.
    function test_TheHandlerMeetsEveryOutcome() public {
        for (uint256 i = 0; i < 300; ++i) {
            uint256 seed = uint256(keccak256(abi.encode(i)));
            bytes4[] memory actions = targetSelectors()[0].selectors;
            (bool success, ) = address(_handler).call(abi.encodeWithSelector(actions[i % actions.length], seed));
            if (!success) revert Broken("the handler reverted", bytes32(actions[i % actions.length]), i);
        }
        _requireTried();
        bytes4[10] memory errors = [
            IPrivacyGroup.PrivacyGroupWrongEpoch.selector,
            IPrivacyGroup.PrivacyGroupExpired.selector,
            IPrivacyGroup.PrivacyGroupNoIntent.selector,
            IPrivacyGroup.PrivacyGroupIntentFulfilled.selector,
            IPrivacyGroup.PrivacyGroupStateNotAvailable.selector,
            IPrivacyGroup.PrivacyGroupInputWithoutSuccessor.selector,
            IPrivacyGroup.PrivacyGroupInputsNotAscending.selector,
            IPrivacyGroup.PrivacyGroupThresholdNotReached.selector,
            IPrivacyGroup.PrivacyGroupInvalidEndorsement.selector,
            IPrivacyGroup.PrivacyGroupNotApproved.selector
        ];
        for (uint256 i = 0; i < errors.length; ++i) {
            if (_handler.outcomes(errors[i]) == 0) revert Broken("never met", bytes32(errors[i]), 0);
        }
        if (_handler.approvals() == 0) revert Broken("no approval", 0, 0);
        if (_handler.approvedExecutions() == 0) revert Broken("no approved execution", 0, 0);
        if (_handler.committeeChanges() < 3) revert Broken("no new committee", 0, _handler.committeeChanges());
    }

    function _requireTried() private view {
        uint256 successes = _handler.outcomes(0);
        uint256 attempts = _handler.attempts();
        if (successes * 4 < attempts) revert Broken("too few successes", bytes32(attempts), successes);
        if (successes * 10 > attempts * 9) revert Broken("too few refusals", bytes32(attempts), successes);
    }

    function _requireNone(uint256 property) private view {
        uint256 count = _handler.breaches(property);
        if (count != 0) revert Broken("breaches of property", bytes32(property), count);
    }

    function _committee(IPrivacyGroup group) private view returns (bytes32) {
        (uint64 epoch, address[] memory members, uint8 threshold) = group.committee();
        return keccak256(abi.encode(epoch, members, threshold));
    }
}

/// @title Drives two groups with random calls, good and bad, next to a plain model of what a group is
/// @dev Both groups start with the same members, so that signatures for one are a danger to the other. Every call is
/// made through {_attempt}, which compares what happens with what the model says must happen, and counts every
/// breach under the number of the property it breaks. `Invariants.t.sol` demands that the counts stay zero, and
/// compares the model with the contract.
contract Handler is LedgerTest {
    enum Status {
        None,
        Unspent,
        Spent
    }

    enum Signed {
        Enough,
        TooFew,
        ForTheOtherGroup,
        ByAStranger,
        SomethingElse
    }

    struct Attempt {
        IPrivacyGroup group;
        bytes transition;
        address delegate;
    }

    IPrivacyGroup[2] public groups;
    uint64 public height = 1_000;

    mapping(uint256 property => uint256 count) public breaches;
    mapping(bytes4 outcome => uint256 count) public outcomes; // Zero stands for success.
    uint256 public attempts;
    uint256 public committeeChanges;
    uint256 public approvals;
    uint256 public approvedExecutions;

    // The model, one for each group, from what was asked and granted.
    mapping(IPrivacyGroup group => bytes32[] ids) private _intents;
    mapping(IPrivacyGroup group => mapping(bytes32 intentId => uint256 count)) public fulfilments;
    mapping(IPrivacyGroup group => bytes32[] ids) private _states;
    mapping(IPrivacyGroup group => mapping(bytes32 stateId => Status status)) public statusOf;
    mapping(IPrivacyGroup group => mapping(bytes32 stateId => uint256 count)) public creations;
    mapping(IPrivacyGroup group => mapping(bytes32 stateId => uint256 count)) public spendings;

    // The same again, from nothing but events.
    mapping(IPrivacyGroup group => mapping(bytes32 intentId => bool isFulfilled)) public foldedIntents;
    mapping(IPrivacyGroup group => mapping(bytes32 stateId => bool isUnspent)) public foldedStates;
    mapping(IPrivacyGroup group => bytes32 committee) public foldedCommittee;

    Attempt[] private _accepted;
    Attempt[] private _pending;
    uint256 private _entropy;
    uint64 private _number;

    constructor() {
        groups[0] = createGroup(3, 2);
        address[] memory members = committeeOf(groups[0]).members;
        IPrivacyGroupFactory.GroupConfig memory config = IPrivacyGroupFactory.GroupConfig(members, 2, false);
        groups[1] = IPrivacyGroup(groupFactory().createGroup(config, "twin"));
        follow(groups[1]);
        for (uint256 i = 0; i < 2; ++i) {
            foldedCommittee[groups[i]] = keccak256(abi.encode(uint64(0), members, uint8(2)));
        }
    }

    /// @dev What cheat codes do to the block does not outlive a call of a handler, so it is done anew in each.
    modifier step(uint256 seed) {
        _entropy = seed;
        vm.roll(height);
        _;
    }

    // -------------------------------------------------------------------------------------------------- actions

    /// @dev A transition in which everything is as it should be.
    function transit(uint256 seed) public step(seed) {
        IPrivacyGroup chosen = _anyGroup();
        _attempt(chosen, _valid(chosen), Signed.Enough);
    }

    /// @dev A transition of random parts: spent and unknown inputs and reads, old intents, any order, any epoch.
    function stumble(uint256 seed) public step(seed) {
        IPrivacyGroup chosen = _anyGroup();
        IPrivacyGroup.Transition memory what = _valid(chosen);
        uint256 fault = _below(10);
        if (fault == 0) what.intents = none();
        if (fault == 1) what.intents = list(_anyIntent(chosen), what.intents[0]);
        if (fault == 2) what.intents = list(what.intents[0], what.intents[0]);
        if (fault == 3) what.inputs = list(_anyState(chosen));
        if (fault == 4) what.inputs = list(_anyState(chosen), _anyState(chosen));
        if (fault == 5) what.reads = list(_anyState(chosen));
        if (fault == 6) what.epoch = uint64(_below(4));
        if (fault == 7) what.validUntil = height - uint64(_below(2));
        uint256 count = what.inputs.length;
        if (fault == 8 && count != 0) what.inputs = list(what.inputs[count - 1], what.inputs[0]);
        what.outputs = fault == 9 ? none() : padOutputs(what.outputs, what.inputs.length);
        _attempt(chosen, what, Signed.Enough);
    }

    function spendTwice(uint256 seed) public step(seed) {
        IPrivacyGroup chosen = _anyGroup();
        IPrivacyGroup.Transition memory what = _valid(chosen);
        if (what.inputs.length == 0) return transit(seed);
        _attempt(chosen, what, Signed.Enough);
        what.intents = list(_newIntent(chosen));
        _attempt(chosen, what, Signed.Enough);
    }

    function readStale(uint256 seed) public step(seed) {
        IPrivacyGroup chosen = _anyGroup();
        IPrivacyGroup.Transition memory what = _valid(chosen);
        what.reads = list(_anyState(chosen), _anyState(chosen));
        _attempt(chosen, what, Signed.Enough);
    }

    /// @dev Endorsements that are worth nothing.
    function forge(uint256 seed) public step(seed) {
        IPrivacyGroup chosen = _anyGroup();
        _attempt(chosen, _valid(chosen), Signed(1 + _below(4)));
    }

    /// @dev Something that was accepted, once more, as it was or under a new intent, here or in the other group.
    function replay(uint256 seed) public step(seed) {
        if (_accepted.length == 0) return transit(seed);
        Attempt memory old = _accepted[_below(_accepted.length)];
        IPrivacyGroup.Transition memory what = abi.decode(old.transition, (IPrivacyGroup.Transition));
        uint256 kind = _below(3);
        if (kind == 0) _attempt(old.group, what, Signed.Enough);
        if (kind == 1) _attempt(_other(old.group), what, Signed.ForTheOtherGroup);
        if (kind == 2) {
            what.intents = list(_newIntent(old.group));
            _attempt(old.group, what, Signed.SomethingElse);
        }
    }

    function approve(uint256 seed) public step(seed) {
        IPrivacyGroup chosen = _anyGroup();
        IPrivacyGroup.Transition memory what = _valid(chosen);
        address delegate = address(uint160(0xd000 + _below(3)));
        bytes32 hash = TypedData.hashApproval(transitionHash(what), delegate);
        bool isForged = _below(4) == 0;
        uint256 signers = isForged ? 0 : _enough(chosen);
        IPrivacyGroup.Endorsements memory endorsements = endorseBy(chosen, hash, signers);
        try chosen.approve(what, delegate, endorsements) {
            if (isForged) ++breaches[9];
            ++approvals;
            _pending.push(Attempt(chosen, abi.encode(what), delegate));
        } catch {
            if (!isForged) ++breaches[4];
        }
    }

    /// @dev A delegate, the right one or another, uses an approval, for the first time or again.
    function executeApproved(uint256 seed) public step(seed) {
        if (_pending.length == 0) return approve(seed);
        // Mostly one of the last few: the others are void, for their committee is gone.
        uint256 age = _below(_pending.length < 4 || _below(8) == 0 ? _pending.length : 4);
        Attempt memory pending = _pending[_pending.length - 1 - age];
        IPrivacyGroup.Transition memory what = abi.decode(pending.transition, (IPrivacyGroup.Transition));
        bool isImpostor = _below(4) == 0;
        bytes4 expected = _verdict(
            pending.group,
            what,
            isImpostor ? IPrivacyGroup.PrivacyGroupNotApproved.selector : bytes4(0)
        );
        vm.recordLogs();
        vm.prank(isImpostor ? address(0xbad) : pending.delegate);
        try pending.group.executeApproved(what) {
            ++approvedExecutions;
            _granted(pending.group, what, expected);
        } catch (bytes memory reason) {
            _refused(pending.group, what, expected, bytes4(reason));
        }
    }

    /// @dev A new committee, endorsed well or badly, and sound or not.
    function changeCommittee(uint256 seed) public step(seed) {
        IPrivacyGroup chosen = _anyGroup();
        Committee memory old = committeeOf(chosen);
        uint8 count = uint8(1 + _below(4));
        IPrivacyGroup.CommitteeChange memory change = IPrivacyGroup.CommitteeChange({
            epoch: _below(6) == 0 ? old.epoch + 1 : old.epoch,
            members: createMembers(count),
            threshold: uint8(_below(count + 2)),
            validUntil: _below(6) == 0 ? height - 1 : 0
        });
        if (count > 1 && _below(6) == 0) change.members[1] = change.members[0];
        bool isForged = _below(4) == 0;
        bool isSound =
            change.threshold != 0 && change.threshold <= count && (count == 1 || change.members[1] > change.members[0]);
        bool isGood = !isForged && isSound && change.epoch == old.epoch && change.validUntil == 0;
        bytes32 hash = committeeChangeHash(change);
        IPrivacyGroup.Endorsements memory endorsements = endorseBy(
            chosen,
            hash,
            isForged ? _fewer(chosen) : _enough(chosen)
        );
        vm.recordLogs();
        try chosen.changeCommittee(change, endorsements) {
            if (!isGood) ++breaches[10];
            ++committeeChanges;
            _foldCommittee(chosen, vm.getRecordedLogs());
            follow(chosen);
            if (committeeOf(chosen).epoch != old.epoch + 1) ++breaches[10];
        } catch {
            if (isGood) ++breaches[10];
        }
    }

    function wait(uint256 seed) public step(seed) {
        height += uint64(1 + _below(3));
    }

    // -------------------------------------------------------------------------------------------------- reading

    function intentsOf(IPrivacyGroup chosen) external view returns (bytes32[] memory) {
        return _intents[chosen];
    }

    function statesOf(IPrivacyGroup chosen) external view returns (bytes32[] memory) {
        return _states[chosen];
    }

    function committeeHash(IPrivacyGroup chosen) external view returns (bytes32) {
        Committee memory current = committeeOf(chosen);
        return keccak256(abi.encode(current.epoch, current.members, current.threshold));
    }

    // -------------------------------------------------------------------------------------------------- attempts

    function _attempt(IPrivacyGroup chosen, IPrivacyGroup.Transition memory what, Signed signed) private {
        IPrivacyGroup.Endorsements memory endorsements = _endorsements(chosen, what, signed);
        bytes4 flaw =
            signed == Signed.Enough
                ? bytes4(0)
                : signed == Signed.TooFew
                    ? IPrivacyGroup.PrivacyGroupThresholdNotReached.selector
                    : IPrivacyGroup.PrivacyGroupInvalidEndorsement.selector;
        bytes4 expected = _verdict(chosen, what, flaw);
        vm.recordLogs();
        vm.prank(address(uint160(1 + _below(type(uint160).max))));
        uint256 gas = gasleft();
        try chosen.execute(what, endorsements) {
            _weigh(gas - gasleft(), what, endorsements.signatures.length);
            if (!_isEndorsed(chosen, what, endorsements)) ++breaches[4];
            _granted(chosen, what, expected);
        } catch (bytes memory reason) {
            _refused(chosen, what, expected, bytes4(reason));
        }
    }

    /// @dev What a group must say to a transition, in plain terms. `flaw` is what is wrong with who asks.
    function _verdict(
        IPrivacyGroup chosen,
        IPrivacyGroup.Transition memory what,
        bytes4 flaw
    ) private view returns (bytes4) {
        if (what.epoch != committeeOf(chosen).epoch) return IPrivacyGroup.PrivacyGroupWrongEpoch.selector;
        if (what.validUntil != 0 && what.validUntil < height) return IPrivacyGroup.PrivacyGroupExpired.selector;
        if (flaw != 0) return flaw;
        for (uint256 i = 0; i < what.reads.length; ++i) {
            if (statusOf[chosen][what.reads[i]] != Status.Unspent) {
                return IPrivacyGroup.PrivacyGroupStateNotAvailable.selector;
            }
        }
        if (what.intents.length == 0) return IPrivacyGroup.PrivacyGroupNoIntent.selector;
        for (uint256 i = 0; i < what.intents.length; ++i) {
            bool isTwice = fulfilments[chosen][what.intents[i]] != 0;
            for (uint256 j = 0; j < i; ++j) isTwice = isTwice || what.intents[i] == what.intents[j];
            if (isTwice) return IPrivacyGroup.PrivacyGroupIntentFulfilled.selector;
        }
        if (what.inputs.length > what.outputs.length) return IPrivacyGroup.PrivacyGroupInputWithoutSuccessor.selector;
        for (uint256 i = 0; i < what.inputs.length; ++i) {
            if (i > 0 && uint256(what.inputs[i]) >> 192 <= uint256(what.inputs[i - 1]) >> 192) {
                return IPrivacyGroup.PrivacyGroupInputsNotAscending.selector;
            }
            if (statusOf[chosen][what.inputs[i]] != Status.Unspent) {
                return IPrivacyGroup.PrivacyGroupStateNotAvailable.selector;
            }
        }
        return 0;
    }

    function _granted(IPrivacyGroup chosen, IPrivacyGroup.Transition memory what, bytes4 expected) private {
        if (expected != 0) ++breaches[_propertyOf(expected)];
        ++attempts;
        ++outcomes[0];
        _accepted.push(Attempt(chosen, abi.encode(what), address(0)));
        bytes32[] memory outputs = outputIds(what);
        _fold(chosen, what, outputs, vm.getRecordedLogs());
        for (uint256 i = 0; i < what.reads.length; ++i) {
            if (statusOf[chosen][what.reads[i]] != Status.Unspent) ++breaches[6];
        }
        for (uint256 i = 0; i < what.intents.length; ++i) {
            if (fulfilments[chosen][what.intents[i]]++ == 0) _intents[chosen].push(what.intents[i]);
        }
        for (uint256 i = 0; i < what.inputs.length; ++i) {
            if (statusOf[chosen][what.inputs[i]] != Status.Unspent) ++breaches[3];
            statusOf[chosen][what.inputs[i]] = Status.Spent;
            ++spendings[chosen][what.inputs[i]];
        }
        for (uint256 i = 0; i < outputs.length; ++i) {
            if (statusOf[chosen][outputs[i]] != Status.None) ++breaches[3];
            statusOf[chosen][outputs[i]] = Status.Unspent;
            ++creations[chosen][outputs[i]];
            _states[chosen].push(outputs[i]);
        }
    }

    /// @dev The model does not change. That the contract did not either shows here, and wherever the two are compared.
    function _refused(
        IPrivacyGroup chosen,
        IPrivacyGroup.Transition memory what,
        bytes4 expected,
        bytes4 actual
    ) private {
        ++attempts;
        ++outcomes[actual];
        if (actual != expected) ++breaches[0];
        for (uint256 i = 0; i < what.intents.length; ++i) {
            if (chosen.isFulfilled(what.intents[i]) != (fulfilments[chosen][what.intents[i]] != 0)) ++breaches[7];
        }
        for (uint256 i = 0; i < what.inputs.length; ++i) {
            bool isUnspent = statusOf[chosen][what.inputs[i]] == Status.Unspent;
            if (chosen.isUnspent(what.inputs[i]) != isUnspent) ++breaches[7];
        }
        bytes32[] memory outputs = outputIds(what);
        for (uint256 i = 0; i < outputs.length; ++i) {
            if (chosen.isUnspent(outputs[i]) != (statusOf[chosen][outputs[i]] == Status.Unspent)) ++breaches[7];
        }
    }

    function _propertyOf(bytes4 missingError) private pure returns (uint256) {
        if (missingError == IPrivacyGroup.PrivacyGroupStateNotAvailable.selector) return 1;
        if (missingError == IPrivacyGroup.PrivacyGroupIntentFulfilled.selector) return 2;
        if (missingError == IPrivacyGroup.PrivacyGroupInputsNotAscending.selector) return 3;
        if (missingError == IPrivacyGroup.PrivacyGroupWrongEpoch.selector) return 10;
        if (missingError == IPrivacyGroup.PrivacyGroupInvalidEndorsement.selector) return 9;
        if (missingError == IPrivacyGroup.PrivacyGroupThresholdNotReached.selector) return 9;
        if (missingError == IPrivacyGroup.PrivacyGroupNotApproved.selector) return 9;
        return 4;
    }

    // --------------------------------------------------------------------------------------------------- events

    /// @dev Rebuilds the state from events, and checks that they say what was signed.
    function _fold(
        IPrivacyGroup chosen,
        IPrivacyGroup.Transition memory what,
        bytes32[] memory outputs,
        Vm.Log[] memory logs
    ) private {
        if (logs.length != what.intents.length + 1) {
            ++breaches[8];
            return;
        }
        for (uint256 i = 0; i < what.intents.length; ++i) {
            if (logs[i].topics[0] != IPrivacyGroup.IntentFulfilled.selector) ++breaches[8];
            if (logs[i].topics[1] != what.intents[i]) ++breaches[5];
            foldedIntents[chosen][logs[i].topics[1]] = true;
        }
        Vm.Log memory last = logs[what.intents.length];
        if (last.topics[0] != IPrivacyGroup.Transitioned.selector) ++breaches[8];
        if (last.topics[1] != transitionHash(what)) ++breaches[5];
        if (keccak256(last.data) != keccak256(abi.encode(what.inputs, outputs))) ++breaches[5];
        (bytes32[] memory spent, bytes32[] memory created) = abi.decode(last.data, (bytes32[], bytes32[]));
        for (uint256 i = 0; i < spent.length; ++i) foldedStates[chosen][spent[i]] = false;
        for (uint256 i = 0; i < created.length; ++i) foldedStates[chosen][created[i]] = true;
    }

    function _foldCommittee(IPrivacyGroup chosen, Vm.Log[] memory logs) private {
        Vm.Log memory log = logs[logs.length - 1];
        if (log.topics[0] != IPrivacyGroup.CommitteeChanged.selector) ++breaches[8];
        (address[] memory members, uint8 threshold) = abi.decode(log.data, (address[], uint8));
        foldedCommittee[chosen] = keccak256(abi.encode(uint64(uint256(log.topics[1])), members, threshold));
    }

    // --------------------------------------------------------------------------------------------- endorsements

    function _endorsements(
        IPrivacyGroup chosen,
        IPrivacyGroup.Transition memory what,
        Signed signed
    ) private returns (IPrivacyGroup.Endorsements memory endorsements) {
        bytes32 hash = transitionHash(what);
        if (signed == Signed.TooFew) return endorseBy(chosen, hash, _fewer(chosen));
        endorsements = endorseBy(chosen, hash, _enough(chosen));
        IPrivacyGroup.Signature[] memory signatures = endorsements.signatures;
        if (signed == Signed.ForTheOtherGroup) {
            bytes32 foreign = digest(_other(chosen), hash);
            address[] memory members = committeeOf(chosen).members;
            uint256 count = 0;
            for (uint256 i = 0; i < members.length; ++i) {
                if ((endorsements.signers >> i) & 1 != 0) signatures[count++] = signatureOf(keyOf(members[i]), foreign);
            }
        }
        if (signed == Signed.ByAStranger) {
            address stranger = createMembers(1)[0];
            signatures[_below(signatures.length)] = signatureOf(keyOf(stranger), digest(chosen, hash));
        }
        if (signed == Signed.SomethingElse) {
            bytes32 other = keccak256(abi.encode(hash));
            endorsements.signatures = endorseBy(chosen, other, endorsements.signers).signatures;
        }
    }

    /// @dev Checks endorsements in the plainest way: who signed, is each a member, is each another, are they enough.
    function _isEndorsed(
        IPrivacyGroup chosen,
        IPrivacyGroup.Transition memory what,
        IPrivacyGroup.Endorsements memory endorsements
    ) private view returns (bool) {
        Committee memory current = committeeOf(chosen);
        bytes32 signed = digest(chosen, transitionHash(what));
        uint256 count = 0;
        for (uint256 m = 0; m < current.members.length; ++m) {
            for (uint256 i = 0; i < endorsements.signatures.length; ++i) {
                if (recovered(endorsements.signatures[i], signed) == current.members[m]) {
                    ++count;
                    break;
                }
            }
        }
        return what.epoch == current.epoch && count >= current.threshold;
    }

    /// @dev The caps are far above what is used and far below what a loop over members or history would use.
    function _weigh(uint256 gas, IPrivacyGroup.Transition memory what, uint256 signatures) private {
        uint256 words = what.intents.length + what.reads.length + what.inputs.length + what.outputs.length;
        if (gas > 30_000 + 10_000 * signatures + 30_000 * words) ++breaches[11];
    }

    // ---------------------------------------------------------------------------------------------- random parts

    function _valid(IPrivacyGroup chosen) private returns (IPrivacyGroup.Transition memory what) {
        uint256 count = _below(4);
        bytes32[] memory inputs = new bytes32[](count);
        uint256 found = 0;
        bytes32[] storage states = _states[chosen];
        uint256 start = states.length == 0 ? 0 : _below(states.length);
        for (uint256 i = 0; i < states.length && found < count; ++i) {
            bytes32 state = states[(start + i) % states.length];
            if (statusOf[chosen][state] == Status.Unspent) inputs[found++] = state;
        }
        assembly ("memory-safe") {
            mstore(inputs, found)
        }
        bytes32[] memory outputs = new bytes32[](_below(4));
        for (uint256 i = 0; i < outputs.length; ++i) outputs[i] = bytes32(_below(3));
        what = transition(chosen, _newIntent(chosen), inputs, outputs);
        if (found > 0 && _below(2) == 0) what.reads = list(inputs[0]);
        if (_below(2) == 0) what.intents = list(_newIntent(chosen), what.intents[0], _newIntent(chosen));
        if (_below(2) == 0) what.validUntil = height + uint64(_below(3));
        what.details = bytes32(_below(2));
    }

    /// @dev Ids of both groups come from the same few lanes, next to each other and far apart.
    function _newIntent(IPrivacyGroup) private returns (bytes32) {
        return bytes32((_below(2) << 200) | ++_number);
    }

    function _anyIntent(IPrivacyGroup chosen) private returns (bytes32) {
        uint256 count = _intents[chosen].length;
        return count == 0 ? bytes32(0) : _intents[chosen][_below(count)];
    }

    /// @dev Mostly a state of this group, unspent or spent; now and then one of the other group, or none at all.
    function _anyState(IPrivacyGroup chosen) private returns (bytes32) {
        bytes32[] storage states = _states[_below(8) == 0 ? _other(chosen) : chosen];
        if (states.length == 0 || _below(8) == 0) return bytes32(_below(2) * _below(type(uint256).max));
        return states[_below(states.length)];
    }

    function _anyGroup() private returns (IPrivacyGroup) {
        return groups[_below(2)];
    }

    function _other(IPrivacyGroup chosen) private view returns (IPrivacyGroup) {
        return chosen == groups[0] ? groups[1] : groups[0];
    }

    /// @dev Random signers, as many as must sign or more.
    function _enough(IPrivacyGroup chosen) private returns (uint256 signers) {
        Committee memory current = committeeOf(chosen);
        signers = _below(1 << current.members.length);
        for (uint256 i = 0; _count(signers) < current.threshold; ++i) signers |= 1 << i;
    }

    /// @dev One signer fewer than must sign.
    function _fewer(IPrivacyGroup chosen) private view returns (uint256 signers) {
        return (1 << (committeeOf(chosen).threshold - 1)) - 1;
    }

    function _count(uint256 bits) private pure returns (uint256 count) {
        for (; bits != 0; bits &= bits - 1) ++count;
    }

    function _below(uint256 limit) private returns (uint256) {
        _entropy = uint256(keccak256(abi.encode(_entropy)));
        return _entropy % limit;
    }
}
