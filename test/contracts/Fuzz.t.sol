// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { Clones } from "@openzeppelin/contracts/proxy/Clones.sol";

import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { Committees } from "../../contracts/libraries/Committees.sol";
import { IntentBitmap } from "../../contracts/libraries/IntentBitmap.sol";
import { StateRegisters } from "../../contracts/libraries/StateRegisters.sol";
import { TypedData } from "../../contracts/libraries/TypedData.sol";
import { LedgerTest } from "./LedgerTest.sol";

/// @title What is fast against what is plain, for random values
contract FuzzTest is LedgerTest {
    using IntentBitmap for IntentBitmap.Bitmap;
    using StateRegisters for StateRegisters.Registers;

    IntentBitmap.Bitmap private _bitmap;
    mapping(bytes32 intentId => bool isFulfilled) private _plain;
    StateRegisters.Registers private _registers;

    // ---------------------------------------------------------------------------------------------------- hashes

    function testFuzz_HashOfWordsIsThatOfPackedWords(bytes32[] calldata words) public pure {
        equal(TypedData.hash(words), keccak256(abi.encodePacked(words)));
    }

    /// @dev What is hashed in place must not depend on, or disturb, what else is in memory.
    function testFuzz_HashOfWordsLeavesMemoryAlone(bytes32[] calldata words, bytes calldata other) public pure {
        bytes memory before = other;
        bytes32 first = TypedData.hash(words);
        bytes memory later = other;
        equal(TypedData.hash(words), first);
        equal(before, later);
        equal(keccak256(before), keccak256(other));
    }

    function testFuzz_TransitionHashIsThatOfTheStandard(IPrivacyGroup.Transition calldata what) public pure {
        (bytes32 structHash, bytes32 intentsHash) = TypedData.hash(what);
        equal(intentsHash, keccak256(abi.encodePacked(what.intents)));
        equal(structHash, _standardHash(what));
        equal(transitionHash(what), structHash);
    }

    function testFuzz_ApprovalHashIsThatOfTheStandard(bytes32 hash, address delegate) public pure {
        bytes memory name = bytes.concat("Approval(address delegate,Transition transition)", CALL, TRANSITION);
        equal(TypedData.hashApproval(hash, delegate), keccak256(abi.encode(keccak256(name), delegate, hash)));
    }

    function testFuzz_CommitteeChangeHashIsThatOfTheStandard(
        IPrivacyGroup.CommitteeChange calldata change
    ) public pure {
        // An address fills a word of its own in the packed array.
        bytes memory members = "";
        for (uint256 i = 0; i < change.members.length; ++i)
            members = abi.encodePacked(members, abi.encode(change.members[i]));
        bytes32 expected = keccak256(
            abi.encode(
                keccak256("CommitteeChange(uint64 epoch,address[] members,uint8 threshold,uint64 validUntil)"),
                change.epoch,
                keccak256(members),
                change.threshold,
                change.validUntil
            )
        );
        equal(TypedData.hash(change), expected);
        equal(committeeChangeHash(change), expected);
    }

    /// @dev The ids that the testing base predicts are those that the ledger creates.
    function testFuzz_OutputIdsAreThoseOfTheLedger(bytes32 intentId, bytes32[] memory outputs, uint8 inputs) public {
        vm.assume(outputs.length < 50);
        bytes32[] memory states = submit(
            group,
            transition(group, nextIntent("mint"), none(), new bytes32[](inputs % 8))
        );
        vm.assume(!group.isFulfilled(intentId));
        IPrivacyGroup.Transition memory what = transition(group, intentId, states, outputs);
        bytes32[] memory created = submit(group, what);
        for (uint256 i = 0; i < states.length; ++i) assertSpent(group, states[i]);
        for (uint256 i = 0; i < created.length; ++i) assertUnspent(group, created[i]);
    }

    // ----------------------------------------------------------------------------------------------- committees

    function testFuzz_LoadIsFetchCloneArgs(bytes calldata arguments) public {
        vm.assume(arguments.length < 20_000);
        address clone = Clones.cloneWithImmutableArgs(address(0), arguments);
        bytes memory loaded = Committees.load(clone);
        bytes memory next = new bytes(64);
        equal(loaded, arguments);
        equal(Clones.fetchCloneArgs(clone), loaded);
        for (uint256 i = 0; i < 64; ++i) equal(uint8(next[i]), 0);
    }

    function testFuzz_CommitteesReadAsTheyWereWritten(uint160[] memory words, uint8 threshold, bool calls_) public {
        address[] memory members = _ascending(words);
        vm.assume(members.length != 0 && members.length < 256);
        threshold = uint8(1 + (threshold % members.length));
        bytes memory encoded = this.encode(members, threshold, calls_);
        equal(Committees.count(encoded), members.length);
        equal(Committees.threshold(encoded), threshold);
        isTrue(Committees.allowsExternalCalls(encoded) == calls_, "external calls");
        for (uint256 i = 0; i < members.length; ++i) equal(Committees.memberAt(encoded, i), members[i]);
    }

    function encode(address[] calldata members, uint8 threshold, bool calls_) external pure returns (bytes memory) {
        return Committees.encode(members, threshold, calls_);
    }

    /// @dev Any subset of any committee: it is enough exactly when it counts as many as must sign.
    function testFuzz_KOfN(uint8 count, uint8 threshold, uint256 signers) public {
        count = 1 + (count % 9);
        threshold = 1 + (threshold % count);
        signers %= 1 << count;
        uint256 signed = 0;
        for (uint256 i = 0; i < count; ++i) signed += (signers >> i) & 1;
        group = createGroup(count, threshold);
        IPrivacyGroup.Transition memory what = simple();
        IPrivacyGroup.Endorsements memory endorsements = endorseBy(group, transitionHash(what), signers);
        if (signed < threshold) {
            expectError(IPrivacyGroup.PrivacyGroupThresholdNotReached.selector, signed, threshold);
        }
        group.execute(what, endorsements);
        isTrue(group.isFulfilled(what.intents[0]) == (signed >= threshold), "k of n");
    }

    /// @dev Flip any one bit of any signature, and it is refused.
    function testFuzz_EveryBitOfASignatureCounts(uint8 bit, bool isR, bool isSecond) public {
        IPrivacyGroup.Transition memory what = simple();
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));
        IPrivacyGroup.Signature memory signature = endorsements.signatures[isSecond ? 1 : 0];
        if (isR) signature.r ^= bytes32(1 << bit);
        else signature.vs ^= bytes32(1 << bit);
        bytes memory data = abi.encodeCall(IPrivacyGroup.execute, (what, endorsements));
        (bool success, bytes memory reason) = address(group).call(data);
        isTrue(!success, "refused");
        equal(bytes32(bytes4(reason)), bytes32(IPrivacyGroup.PrivacyGroupInvalidEndorsement.selector));
    }

    // ------------------------------------------------------------------------------------------------- bitmaps

    /// @dev Small numbers, so that lists collide and change words back and forth.
    function testFuzz_TheBitmapIsAPlainMapping(uint16[] memory first, uint16[] memory second, uint16 range) public {
        range = (range % 1_500) + 1;
        _addBoth(first, range);
        _addBoth(second, range);
        for (uint256 i = 0; i < range; ++i) {
            isTrue(_bitmap.contains(bytes32(i)) == _plain[bytes32(i)], "the same");
        }
    }

    function testFuzz_AnyWordIsAnIntentId(bytes32 intentId, bytes32 other) public {
        this.add(list(intentId));
        isTrue(_bitmap.contains(intentId), "added");
        isTrue(_bitmap.contains(other) == (other == intentId), "nothing else");
    }

    function _addBoth(uint16[] memory numbers, uint16 range) private {
        bytes32[] memory intents = new bytes32[](numbers.length % 64);
        for (uint256 i = 0; i < intents.length; ++i) intents[i] = bytes32(uint256(numbers[i] % range));
        (bytes4 expected, bytes32 culprit) = _addPlain(intents);
        try this.add(intents) {
            isTrue(expected == 0, "taken");
        } catch (bytes memory reason) {
            if (expected == IPrivacyGroup.PrivacyGroupNoIntent.selector) {
                equal(reason, abi.encodeWithSelector(expected));
            } else {
                equal(reason, abi.encodeWithSelector(expected, culprit));
            }
        }
    }

    function _addPlain(bytes32[] memory intents) private returns (bytes4 expected, bytes32 culprit) {
        if (intents.length == 0) return (IPrivacyGroup.PrivacyGroupNoIntent.selector, 0);
        for (uint256 i = 0; i < intents.length; ++i) {
            bool isTwice = _plain[intents[i]];
            for (uint256 j = 0; j < i; ++j) isTwice = isTwice || intents[i] == intents[j];
            if (isTwice) return (IPrivacyGroup.PrivacyGroupIntentFulfilled.selector, intents[i]);
        }
        for (uint256 i = 0; i < intents.length; ++i) _plain[intents[i]] = true;
    }

    function add(bytes32[] calldata intents) external {
        _bitmap.add(intents);
    }

    // ------------------------------------------------------------------------------------------------- registers

    function testFuzz_ASuccessorKeepsTheRegisterAndTheHash(bytes32 input, bytes32 hash) public pure {
        bytes32 output = StateRegisters.inherit(input, hash);
        equal(StateRegisters.registerOf(output), StateRegisters.registerOf(input));
        equal(uint192(uint256(output)), uint192(uint256(hash)));
    }

    function testFuzz_OnlyTheHolderIsHeld(bytes32 state, bytes32 successor, bytes32 other) public {
        vm.assume(state != 0 && other != state);
        successor = StateRegisters.inherit(state, successor);
        vm.assume(successor != 0 && successor != state);
        _registers.open(state);
        isTrue(_registers.holds(state), "open");
        isTrue(!_registers.holds(other), "nothing else");
        _registers.replace(state, successor);
        isTrue(!_registers.holds(state), "spent");
        isTrue(_registers.holds(successor), "replaced");
    }

    // --------------------------------------------------------------------------------------------------- helpers

    bytes private constant CALL = "ExternalCall(address target,bytes data,uint64 gasMin)";
    bytes private constant TRANSITION =
        "Transition(uint64 epoch,bytes32[] intents,bytes32[] inputs,bytes32[] reads,bytes32[] outputs,bytes32 details,uint64 validUntil,ExternalCall[] calls)";

    /// @dev The struct hash, word by word, as EIP-712 describes it.
    function _standardHash(IPrivacyGroup.Transition calldata what) private pure returns (bytes32) {
        bytes memory encoded = abi.encode(keccak256(bytes.concat(TRANSITION, CALL)), uint256(what.epoch));
        encoded = bytes.concat(encoded, _hashWords(what.intents), _hashWords(what.inputs));
        encoded = bytes.concat(encoded, _hashWords(what.reads), _hashWords(what.outputs));
        encoded = bytes.concat(encoded, what.details, bytes32(uint256(what.validUntil)));
        bytes memory called = "";
        for (uint256 i = 0; i < what.calls.length; ++i) {
            bytes32 target = bytes32(uint256(uint160(what.calls[i].target)));
            bytes32 data = keccak256(what.calls[i].data);
            bytes32 gasMin = bytes32(uint256(what.calls[i].gasMin));
            called = bytes.concat(called, keccak256(bytes.concat(keccak256(CALL), target, data, gasMin)));
        }
        return keccak256(bytes.concat(encoded, keccak256(called)));
    }

    function _hashWords(bytes32[] calldata words) private pure returns (bytes32) {
        bytes memory encoded = "";
        for (uint256 i = 0; i < words.length; ++i) encoded = bytes.concat(encoded, words[i]);
        return keccak256(encoded);
    }

    /// @dev The words as addresses, sorted, without zero and duplicates.
    function _ascending(uint160[] memory words) private pure returns (address[] memory members) {
        bytes32[] memory ids = new bytes32[](words.length);
        for (uint256 i = 0; i < words.length; ++i) ids[i] = bytes32(uint256(words[i]));
        ids = sortByRegister(ids);
        members = new address[](words.length);
        uint256 count = 0;
        for (uint256 i = 0; i < ids.length; ++i) {
            address member = address(uint160(uint256(ids[i])));
            if (member > (count == 0 ? address(0) : members[count - 1])) members[count++] = member;
        }
        assembly ("memory-safe") {
            mstore(members, count)
        }
    }
}
