// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Calls to other contracts, all or none
interface IExternalCalls {
    /// @notice A call to a contract.
    /// @param target The contract to call.
    /// @param data Selector and arguments. No value is ever sent.
    struct ExternalCall {
        address target;
        bytes data;
    }

    /// @notice There is no contract to call at this address.
    error ExternalCallWithoutCode(address target);

    /// @notice A call failed, so nothing happened. `reason` is its revert data, cut at 1,024 bytes.
    error ExternalCallFailed(uint256 index, address target, bytes reason);
}
