// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { Clones } from "@openzeppelin/contracts/proxy/Clones.sol";

import { PrivacyGroup } from "./PrivacyGroup.sol";
import { IPrivacyGroupFactory } from "./interfaces/IPrivacyGroupFactory.sol";
import { Committees } from "./libraries/Committees.sol";

/// @title Creates privacy groups at addresses known beforehand
/// @dev The configuration is part of the clone's code, and so of its address. There is nothing to initialise later.
contract PrivacyGroupFactory is IPrivacyGroupFactory {
    /// @inheritdoc IPrivacyGroupFactory
    address public immutable implementation = address(new PrivacyGroup());

    /// @inheritdoc IPrivacyGroupFactory
    function createGroup(GroupConfig calldata config, bytes32 salt) external returns (address group) {
        bytes memory encoded = _encode(config);
        bytes32 ownSalt = _ownSalt(msg.sender, salt);
        group = Clones.predictDeterministicAddressWithImmutableArgs(implementation, encoded, ownSalt);
        if (group.code.length != 0) revert PrivacyGroupFactoryGroupExists(group);
        Clones.cloneDeterministicWithImmutableArgs(implementation, encoded, ownSalt);
        emit GroupCreated(group, msg.sender, salt, config.members, config.threshold, config.externalCalls);
    }

    /// @inheritdoc IPrivacyGroupFactory
    function groupAddress(
        address creator,
        GroupConfig calldata config,
        bytes32 salt
    ) external view returns (address group) {
        return
            Clones.predictDeterministicAddressWithImmutableArgs(
                implementation,
                _encode(config),
                _ownSalt(creator, salt)
            );
    }

    function _encode(GroupConfig calldata config) private pure returns (bytes memory) {
        return Committees.encode(config.members, config.threshold, config.externalCalls);
    }

    function _ownSalt(address creator, bytes32 salt) private pure returns (bytes32) {
        return keccak256(abi.encode(creator, salt));
    }
}
