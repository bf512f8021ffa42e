// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IExternalCalls } from "./IExternalCalls.sol";

/// @title Carries out several calls as one: all of them, in order, once, or none
/// @notice Every list of calls has an address of its own, its *atom*, from which the calls are made and which can make
/// no others. So whoever approves an atom approves the whole: two groups that approve the atom of a swap each know
/// that their half happens only together with the other.
///
/// 1. Agree on the calls, for example {IPrivacyGroup-executeApproved} on two groups, and ask {atomAddress}.
/// 2. Each group approves its transition for that address; a token holder gives it an allowance.
/// 3. Anybody calls {execute}.
interface IAtomFactory is IExternalCalls {
    /// @notice All calls of an atom were made.
    event AtomExecuted(address indexed atom);

    /// @notice An atom must do something.
    error AtomWithoutCalls();

    /// @notice These calls were made before with the same salt.
    error AtomAlreadyExecuted(address atom);

    /// @notice Make the calls, all or none. This succeeds once for each list and salt; after a failure it can be tried
    /// again.
    /// @param calls What to call, in this order.
    /// @param salt Any value; tells apart lists that are otherwise the same.
    /// @return atom The address from which the calls were made.
    function execute(ExternalCall[] calldata calls, bytes32 salt) external returns (address atom);

    /// @notice The address from which {execute} makes these calls.
    function atomAddress(ExternalCall[] calldata calls, bytes32 salt) external view returns (address atom);
}
