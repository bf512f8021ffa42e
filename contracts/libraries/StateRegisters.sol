// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IPrivacyGroup } from "../interfaces/IPrivacyGroup.sol";

/// @title Which states are unspent: a register holds the id of at most one
/// @dev A state is unspent exactly while its register holds its id. Spending it writes its successor's id over it,
/// which costs a fraction of freeing one slot and opening another.
///
/// A spent id never comes back. An id contains a hash over the intents of the transition that created it and its
/// index there; an intent happens once, so no two outputs ever hash the same input. The 192 bits of that hash in every
/// id leave 2^96 work to find two outputs with the same id, and both would have to be endorsed.
library StateRegisters {
    struct Register {
        bytes32 holder;
    }

    struct Registers {
        mapping(uint256 name => Register register) _registers;
    }

    /// @dev The name of the register in which a state lives: the upper 64 bits of its id.
    function registerOf(bytes32 stateId) internal pure returns (uint256) {
        return uint256(stateId) >> 192;
    }

    /// @dev The id of an output that takes over the register of `input`.
    function inherit(bytes32 input, bytes32 hash) internal pure returns (bytes32) {
        return bytes32((registerOf(input) << 192) | ((uint256(hash) << 64) >> 64));
    }

    /// @dev An empty register reads as zero, so the id zero must never count as held.
    function holds(Registers storage self, bytes32 stateId) internal view returns (bool) {
        return stateId != 0 && self._registers[registerOf(stateId)].holder == stateId;
    }

    function requireHeld(Registers storage self, bytes32[] calldata stateIds) internal view {
        for (uint256 i = 0; i < stateIds.length; ++i) {
            if (!holds(self, stateIds[i])) revert IPrivacyGroup.PrivacyGroupStateNotAvailable(stateIds[i]);
        }
    }

    /// @dev Spends `input` and creates `output` in its place.
    function replace(Registers storage self, bytes32 input, bytes32 output) internal {
        Register storage register = self._registers[registerOf(input)];
        if (input == 0 || register.holder != input) revert IPrivacyGroup.PrivacyGroupStateNotAvailable(input);
        register.holder = output;
    }

    /// @dev Creates `output` in a register that was never used.
    function open(Registers storage self, bytes32 output) internal {
        Register storage register = self._registers[registerOf(output)];
        if (register.holder != 0) revert IPrivacyGroup.PrivacyGroupRegisterTaken(output, register.holder);
        register.holder = output;
    }
}
