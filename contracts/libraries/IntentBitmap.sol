// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IPrivacyGroup } from "../interfaces/IPrivacyGroup.sol";

/// @title Which intents are fulfilled: one bit each
/// @dev Ids that count up share words, and setting a bit in a word that is in use costs a fraction of opening one.
/// Bits are only ever set, never cleared: that is the whole argument why an intent happens once.
library IntentBitmap {
    struct Bitmap {
        mapping(uint256 word => uint256 bits) _words;
    }

    function contains(Bitmap storage self, bytes32 intentId) internal view returns (bool) {
        return self._words[uint256(intentId) >> 8] & _bit(intentId) != 0;
    }

    /// @dev Marks all of `intents`, or reverts at the first that is marked already, by an earlier call or by this one.
    /// Neighbours in the list that share a word are marked with one read and one write.
    function add(Bitmap storage self, bytes32[] calldata intents) internal {
        if (intents.length == 0) revert IPrivacyGroup.PrivacyGroupNoIntent();
        uint256 word = uint256(intents[0]) >> 8;
        uint256 bits = self._words[word];
        for (uint256 i = 0; i < intents.length; ++i) {
            bytes32 intentId = intents[i];
            if (uint256(intentId) >> 8 != word) {
                self._words[word] = bits;
                word = uint256(intentId) >> 8;
                bits = self._words[word];
            }
            uint256 bit = _bit(intentId);
            if (bits & bit != 0) revert IPrivacyGroup.PrivacyGroupIntentFulfilled(intentId);
            bits |= bit;
            emit IPrivacyGroup.IntentFulfilled(intentId);
        }
        self._words[word] = bits;
    }

    function _bit(bytes32 intentId) private pure returns (uint256) {
        return 1 << (uint256(intentId) & 0xff);
    }
}
