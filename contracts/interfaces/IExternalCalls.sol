// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Calls to other contracts, all or none
interface IExternalCalls {
    /// @notice A call to a contract.
    /// @param target The contract to call.
    /// @param data Selector and arguments. No value is ever sent.
    /// @param gasMin The gas that the target gets at least; 0 leaves it to the sender of the transaction. A target that
    /// survives the failure of something it calls may do less if it gets less gas, so name what it needs when everything
    /// succeeds. The target may get more: that is up to the sender of the transaction.
    struct ExternalCall {
        address target;
        bytes data;
        uint64 gasMin;
    }

    /// @notice There is no contract to call at this address.
    error ExternalCallWithoutCode(address target);

    /// @notice The transaction has too little gas left to give the target `gasMin`, so nothing happened. Send it again with
    /// more gas. `available` is what the target would have got.
    error ExternalCallGasTooLow(uint256 index, uint256 gasMin, uint256 available);

    /// @notice A call failed, so nothing happened. `reason` is its revert data, cut at 1,024 bytes.
    error ExternalCallFailed(uint256 index, address target, bytes reason);
}
