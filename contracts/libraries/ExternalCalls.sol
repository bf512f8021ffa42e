// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { LowLevelCall } from "@openzeppelin/contracts/utils/LowLevelCall.sol";

import { IExternalCalls } from "../interfaces/IExternalCalls.sol";

/// @title Calls to other contracts, all or none
library ExternalCalls {
    uint256 private constant REASON_BYTES_MAX = 1024;

    /// @dev Makes the calls in order and reverts at the first that fails. Return data is dropped, and revert data is
    /// never copied beyond a bound, whatever the target sends.
    function run(IExternalCalls.ExternalCall[] calldata calls) internal {
        for (uint256 i = 0; i < calls.length; ++i) {
            address target = calls[i].target;
            if (target.code.length == 0) revert IExternalCalls.ExternalCallWithoutCode(target);
            if (!LowLevelCall.callNoReturn(target, calls[i].data)) {
                revert IExternalCalls.ExternalCallFailed(i, target, _reason());
            }
        }
    }

    function _reason() private pure returns (bytes memory reason) {
        uint256 size = LowLevelCall.returnDataSize();
        reason = new bytes(size < REASON_BYTES_MAX ? size : REASON_BYTES_MAX);
        assembly ("memory-safe") {
            returndatacopy(add(reason, 0x20), 0, mload(reason))
        }
    }
}
