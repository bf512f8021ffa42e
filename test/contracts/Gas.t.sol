// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { LedgerTest } from "./LedgerTest.sol";

/// @title S11: what a transition costs grows with what it does, and with nothing else
/// @dev Hashing costs a little more per word as memory grows, so a line is a line to within a small part.
contract GasTest is LedgerTest {
    function test_S11_GasIsLinearInOutputs() public {
        _requireLinear(_costOfOutputs(64), _costOfOutputs(128), _costOfOutputs(256), 64);
    }

    function test_S11_GasIsLinearInInputs() public {
        _requireLinear(_costOfInputs(64), _costOfInputs(128), _costOfInputs(256), 64);
    }

    function test_S11_GasIsLinearInReads() public {
        _requireLinear(_costOfReads(64), _costOfReads(128), _costOfReads(256), 64);
    }

    function test_S11_GasIsLinearInIntents() public {
        _requireLinear(_costOfIntents(64), _costOfIntents(128), _costOfIntents(256), 64);
    }

    function test_S11_GasIsLinearInSignatures() public {
        _requireLinear(_costOfSignatures(32), _costOfSignatures(64), _costOfSignatures(128), 32);
    }

    /// @dev The members who do not sign cost no more than reading their addresses as code.
    function test_S11_GasHardlyDependsOnMembers() public {
        uint256 small = _costOfMembers(3);
        uint256 large = _costOfMembers(255);
        isTrue(large - small < 252 * 10, "less than ten gas for each member");
    }

    function test_S11_GasDoesNotDependOnHistory() public {
        uint256 early = _cost(_fresh(1));
        for (uint256 i = 0; i < 300; ++i) submit(group, _fresh(2));
        uint256 late = _cost(_fresh(3));
        isTrue(late <= early + early / 50, "the same after three hundred transitions");
    }

    function _costOfOutputs(uint256 count) private returns (uint256) {
        return _cost(transition(group, nextIntent("gas"), none(), new bytes32[](count)));
    }

    function _costOfInputs(uint256 count) private returns (uint256) {
        bytes32[] memory inputs = submit(group, transition(group, nextIntent("mint"), none(), new bytes32[](count)));
        return _cost(transition(group, nextIntent("gas"), inputs, none()));
    }

    function _costOfReads(uint256 count) private returns (uint256) {
        IPrivacyGroup.Transition memory what = transition(group, nextIntent("gas"), none(), none());
        what.reads = submit(group, transition(group, nextIntent("mint"), none(), new bytes32[](count)));
        return _cost(what);
    }

    function _costOfIntents(uint256 count) private returns (uint256) {
        IPrivacyGroup.Transition memory what = simple();
        what.intents = new bytes32[](count);
        // Each in a word of its own, which is the worst case.
        for (uint256 i = 0; i < count; ++i) what.intents[i] = bytes32(((count << 32) | i) << 8);
        return _cost(what);
    }

    function _costOfSignatures(uint256 count) private returns (uint256) {
        group = createGroup(128, uint8(count));
        return _cost(simple());
    }

    function _costOfMembers(uint256 count) private returns (uint256) {
        group = createGroup(count, 2);
        return _cost(simple());
    }

    function _fresh(uint256 lane) private returns (IPrivacyGroup.Transition memory) {
        return transition(group, nextIntent(bytes24(uint192(lane))), none(), list("x"));
    }

    /// @dev A test is one transaction, so whatever comes first pays for touching the slots that all of them use. That is
    /// another transition here.
    function _cost(IPrivacyGroup.Transition memory what) private returns (uint256) {
        submit(group, transition(group, nextIntent("gas"), none(), none()));
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));
        bytes memory data = abi.encodeCall(IPrivacyGroup.execute, (what, endorsements));
        address target = address(group);
        bool success;
        uint256 gas = gasleft();
        // Solidity would copy the data once more, and the memory of this test is large and dear already.
        assembly ("memory-safe") {
            success := call(gas(), target, 0, add(data, 0x20), mload(data), 0, 0)
        }
        gas -= gasleft();
        isTrue(success, "carried out");
        return gas;
    }

    /// @dev Cost at one, two and four times `count`: the second step is twice the first.
    function _requireLinear(uint256 one, uint256 two, uint256 four, uint256 count) private pure {
        uint256 step = (two - one) / count;
        uint256 next = (four - two) / (2 * count);
        isTrue(next * 100 <= step * 103, "each one costs no more than the one before");
        isTrue(step * 100 <= next * 103, "each one costs no less than the one before");
    }
}
