// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { Clones } from "@openzeppelin/contracts/proxy/Clones.sol";

import { IAtomFactory } from "./interfaces/IAtomFactory.sol";
import { IExternalCalls } from "./interfaces/IExternalCalls.sol";
import { ExternalCalls } from "./libraries/ExternalCalls.sol";

/// @title The address from which one list of calls is made
/// @dev A clone exists only within and after the one transaction that creates and runs it, so it runs once. Its
/// address follows from the list of calls, and only the factory, which derives that address, can run it.
contract Atom is IExternalCalls {
    address private immutable _factory = msg.sender;

    /// @notice The caller is not the factory.
    error AtomNotFactory(address caller);

    /// @notice Make the calls. Only the factory may ask, and it asks once.
    function run(ExternalCall[] calldata calls) external {
        if (msg.sender != _factory) revert AtomNotFactory(msg.sender);
        ExternalCalls.run(calls);
    }
}

/// @title Carries out several calls as one: all of them, in order, once, or none
contract AtomFactory is IAtomFactory {
    address private immutable _implementation = address(new Atom());

    /// @inheritdoc IAtomFactory
    function execute(ExternalCall[] calldata calls, bytes32 salt) external returns (address atom) {
        if (calls.length == 0) revert AtomWithoutCalls();
        bytes32 ownSalt = _ownSalt(calls, salt);
        atom = Clones.predictDeterministicAddress(_implementation, ownSalt);
        if (atom.code.length != 0) revert AtomAlreadyExecuted(atom);
        Clones.cloneDeterministic(_implementation, ownSalt);
        Atom(atom).run(calls);
        emit AtomExecuted(atom);
    }

    /// @inheritdoc IAtomFactory
    function atomAddress(ExternalCall[] calldata calls, bytes32 salt) external view returns (address atom) {
        return Clones.predictDeterministicAddress(_implementation, _ownSalt(calls, salt));
    }

    function _ownSalt(ExternalCall[] calldata calls, bytes32 salt) private pure returns (bytes32) {
        return keccak256(abi.encode(calls, salt));
    }
}
