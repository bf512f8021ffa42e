// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { Clones } from "@openzeppelin/contracts/proxy/Clones.sol";

import { IAtomFactory } from "../../contracts/interfaces/IAtomFactory.sol";
import { IExternalCalls } from "../../contracts/interfaces/IExternalCalls.sol";
import { IPrivacyGroupFactory } from "../../contracts/interfaces/IPrivacyGroupFactory.sol";
import { LedgerTest } from "./LedgerTest.sol";

/// @title Addresses follow from what is created, in the way that clients compute them without asking the chain
contract AddressesTest is LedgerTest {
    function test_AGroupsAddressFollowsFromCreatorConfigurationAndSalt() public {
        IPrivacyGroupFactory factory = groupFactory();
        IPrivacyGroupFactory.GroupConfig memory config = IPrivacyGroupFactory.GroupConfig(createMembers(2), 1, true);
        address derived = Clones.predictDeterministicAddressWithImmutableArgs(
            factory.implementation(),
            abi.encodePacked(config.externalCalls, config.threshold, config.members),
            keccak256(abi.encode(address(this), bytes32("salt"))),
            address(factory)
        );
        equal(factory.groupAddress(address(this), config, "salt"), derived);
        equal(factory.createGroup(config, "salt"), derived);
    }

    function test_AnAtomsAddressFollowsFromCallsAndSalt() public {
        IAtomFactory factory = IAtomFactory(deploy("contracts/AtomFactory.sol:AtomFactory"));
        // The first contract that a contract creates: keccak256(rlp([creator, 1])).
        bytes32 implementation = keccak256(abi.encodePacked(hex"d694", factory, hex"01"));
        IExternalCalls.ExternalCall[] memory what = calls(address(group), "");
        address derived = Clones.predictDeterministicAddress(
            address(uint160(uint256(implementation))),
            keccak256(abi.encode(what, bytes32("salt"))),
            address(factory)
        );
        equal(factory.atomAddress(what, "salt"), derived);
    }
}
