// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { Committees } from "../contracts/libraries/Committees.sol";

/// @title What is encoded has between one and 255 members and a threshold that they can reach and must
contract ACommitteeHasAQuorum {
    function lemma(address[] calldata members, uint8 threshold, bool externalCalls) external pure {
        Committees.encode(members, threshold, externalCalls);
        assert(members.length >= 1 && members.length <= 255);
        assert(threshold >= 1 && threshold <= members.length);
    }
}

/// @title False: shows that committees can be encoded at all
contract FalseNoCommitteeIsTaken {
    function lemma(address[] calldata members, uint8 threshold, bool externalCalls) external pure {
        Committees.encode(members, threshold, externalCalls);
        assert(members.length == 0);
    }
}
