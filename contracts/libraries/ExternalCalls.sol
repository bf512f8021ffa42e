// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { LowLevelCall } from "@openzeppelin/contracts/utils/LowLevelCall.sol";

import { IExternalCalls } from "../interfaces/IExternalCalls.sol";

/// @title Calls to other contracts, all or none
library ExternalCalls {
    uint256 private constant REASON_BYTES_MAX = 1024;

    /// @dev What is spent between measuring the gas and the first instruction of the target, rounded up: 100 for the
    /// call, 2,600 for the code of an account that delegates to another (EIP-7702), and the instructions in between.
    uint256 private constant CALL_GAS = 3000;

    /// @dev Makes the calls in order and reverts at the first that fails. Return data is dropped, and revert data is
    /// never copied beyond a bound, whatever the target sends.
    function run(IExternalCalls.ExternalCall[] calldata calls) internal {
        for (uint256 i = 0; i < calls.length; ++i) {
            address target = calls[i].target;
            if (target.code.length == 0) revert IExternalCalls.ExternalCallWithoutCode(target);
            // Copied before the gas is measured: afterwards nothing may cost gas that depends on the call.
            bytes memory data = calls[i].data;
            _requireGas(i, calls[i].gasMin);
            if (!LowLevelCall.callNoReturn(target, data)) {
                revert IExternalCalls.ExternalCallFailed(i, target, _reason());
            }
        }
    }

    /// @dev A call passes on 63 of 64 parts of the gas that is left (EIP-150), and says nothing if that is too little.
    function _requireGas(uint256 index, uint64 gasMin) private view {
        uint256 left = gasleft();
        left = left < CALL_GAS ? 0 : left - CALL_GAS;
        uint256 available = left - left / 64;
        if (available < gasMin) revert IExternalCalls.ExternalCallGasTooLow(index, gasMin, available);
    }

    function _reason() private pure returns (bytes memory reason) {
        uint256 size = LowLevelCall.returnDataSize();
        reason = new bytes(size < REASON_BYTES_MAX ? size : REASON_BYTES_MAX);
        assembly ("memory-safe") {
            returndatacopy(add(reason, 0x20), 0, mload(reason))
        }
    }
}
