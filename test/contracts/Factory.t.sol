// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { IPrivacyGroupFactory } from "../../contracts/interfaces/IPrivacyGroupFactory.sol";
import { LedgerTest } from "./LedgerTest.sol";

contract FactoryTest is LedgerTest {
    IPrivacyGroupFactory internal factory;
    address[] internal members;

    function setUp() public override {
        super.setUp();
        factory = groupFactory();
        members = createMembers(3);
    }

    function test_CreatesAGroupAtItsAddress() public {
        IPrivacyGroupFactory.GroupConfig memory config = _config(members, 2, true);
        address expected = factory.groupAddress(address(this), config, "salt");

        vm.expectEmit(address(factory));
        emit IPrivacyGroupFactory.GroupCreated(expected, address(this), "salt", members, 2, true);
        IPrivacyGroup created = IPrivacyGroup(factory.createGroup(config, "salt"));

        equal(address(created), expected);
        equal(factory.groupAddress(address(this), config, "salt"), expected);
        (uint64 epoch, address[] memory current, uint8 threshold) = created.committee();
        equal(epoch, 0);
        equal(abi.encode(current), abi.encode(members));
        equal(threshold, 2);
        isTrue(created.allowsExternalCalls(), "allows external calls");
    }

    function test_EverythingIsPartOfTheAddress() public {
        IPrivacyGroupFactory.GroupConfig memory config = _config(members, 2, true);
        address own = factory.groupAddress(address(this), config, "salt");
        isTrue(own != factory.groupAddress(address(1), config, "salt"), "creator");
        isTrue(own != factory.groupAddress(address(this), config, "pepper"), "salt");
        isTrue(own != factory.groupAddress(address(this), _config(members, 1, true), "salt"), "threshold");
        isTrue(own != factory.groupAddress(address(this), _config(members, 2, false), "salt"), "external calls");
        address[] memory others = createMembers(3);
        isTrue(own != factory.groupAddress(address(this), _config(others, 2, true), "salt"), "members");
    }

    function test_TheImplementationBehindEveryGroupIsTheSame() public view {
        isTrue(factory.implementation().code.length != 0, "deployed");
    }

    function test_RevertWhen_TheGroupExists() public {
        IPrivacyGroupFactory.GroupConfig memory config = _config(members, 2, false);
        address created = factory.createGroup(config, "salt");
        vm.expectRevert(abi.encodeWithSelector(IPrivacyGroupFactory.PrivacyGroupFactoryGroupExists.selector, created));
        factory.createGroup(config, "salt");
        isTrue(factory.createGroup(config, "pepper") != created, "another salt, another group");
    }

    function test_RevertWhen_TheThresholdIsZeroOrAboveTheMembers() public {
        _expectInvalid(IPrivacyGroup.PrivacyGroupInvalidThreshold.selector, 0, 3, _config(members, 0, false));
        _expectInvalid(IPrivacyGroup.PrivacyGroupInvalidThreshold.selector, 4, 3, _config(members, 4, false));
        factory.createGroup(_config(members, 1, false), "");
        factory.createGroup(_config(members, 3, false), "");
    }

    function test_RevertWhen_ThereAreNoMembers() public {
        members = new address[](0);
        _expectInvalid(IPrivacyGroup.PrivacyGroupInvalidThreshold.selector, 1, 0, _config(members, 1, false));
    }

    function test_255MembersAreTakenAnd256Refused() public {
        members = new address[](255);
        for (uint160 i = 0; i < 255; ++i) members[i] = address(i + 1);
        IPrivacyGroup created = IPrivacyGroup(factory.createGroup(_config(members, 255, false), ""));
        (, address[] memory current, ) = created.committee();
        equal(abi.encode(current), abi.encode(members));

        members.push(address(256));
        _expectInvalid(IPrivacyGroup.PrivacyGroupTooManyMembers.selector, 256, 255, _config(members, 1, false));
    }

    function test_RevertWhen_MembersAreNotStrictlyAscending() public {
        address last = members[2];
        members[2] = members[1];
        bytes4 selector = IPrivacyGroup.PrivacyGroupMembersNotAscending.selector;
        _expectInvalid(selector, uint160(members[1]), uint160(members[1]), _config(members, 1, false));
        (members[1], members[2]) = (last, members[1]);
        _expectInvalid(selector, uint160(last), uint160(members[2]), _config(members, 1, false));
        members[0] = address(0);
        _expectInvalid(selector, 0, 0, _config(members, 1, false));
    }

    function _expectInvalid(
        bytes4 selector,
        uint256 first,
        uint256 second,
        IPrivacyGroupFactory.GroupConfig memory config
    ) private {
        expectError(selector, first, second);
        factory.createGroup(config, "");
        expectError(selector, first, second);
        factory.groupAddress(address(this), config, "");
    }

    function _config(
        address[] memory members_,
        uint8 threshold,
        bool externalCalls
    ) private pure returns (IPrivacyGroupFactory.GroupConfig memory) {
        return IPrivacyGroupFactory.GroupConfig(members_, threshold, externalCalls);
    }
}
