// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IERC5267 } from "@openzeppelin/contracts/interfaces/IERC5267.sol";

import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { LedgerTest } from "./LedgerTest.sol";

/// @title What wallets sign is written out here, so that it cannot change unnoticed
contract DomainTest is LedgerTest {
    function test_TheDomainNamesTheContractItsVersionTheChainAndTheGroup() public view {
        (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        ) = IERC5267(address(group)).eip712Domain();
        equal(uint8(fields), 0x0f);
        equal(bytes(name), "PrivacyGroup");
        equal(bytes(version), "1");
        equal(chainId, block.chainid);
        equal(verifyingContract, address(group));
        equal(salt, 0);
        equal(extensions.length, 0);
    }

    function test_EndorsementsCoverThisDomain() public {
        IPrivacyGroup.Transition memory what = simple();
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("PrivacyGroup"),
                keccak256("1"),
                block.chainid,
                group
            )
        );
        bytes32 signed = keccak256(abi.encodePacked(hex"1901", domain, transitionHash(what)));
        address[] memory members = committeeOf(group).members;
        IPrivacyGroup.Endorsements memory endorsements;
        endorsements.signers = BOTH;
        endorsements.signatures = new IPrivacyGroup.Signature[](THRESHOLD);
        for (uint256 i = 0; i < THRESHOLD; ++i) endorsements.signatures[i] = signatureOf(keyOf(members[i]), signed);
        group.execute(what, endorsements);
        assertFulfilled(group, what.intents[0]);
    }
}
