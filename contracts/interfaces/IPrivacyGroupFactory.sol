// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Creates privacy groups at addresses known beforehand
interface IPrivacyGroupFactory {
    /// @notice What a group is made of.
    /// @param members Addresses that endorse, strictly ascending.
    /// @param threshold How many of them must sign, from 1 to the number of members.
    /// @param externalCalls Whether transitions may call public contracts. This can never be changed.
    struct GroupConfig {
        address[] members;
        uint8 threshold;
        bool externalCalls;
    }

    /// @notice A group was created.
    event GroupCreated(
        address indexed group,
        address indexed creator,
        bytes32 salt,
        address[] members,
        uint8 threshold,
        bool externalCalls
    );

    /// @notice The same creator made the same group with the same salt before.
    error PrivacyGroupFactoryGroupExists(address group);

    /// @notice Create a group. Its address follows from the caller, the configuration and the salt, so nobody else can
    /// take it, or put another configuration there.
    /// @param config What the group is made of.
    /// @param salt Any value; tells apart groups that are otherwise the same.
    /// @return group The address of the new group.
    function createGroup(GroupConfig calldata config, bytes32 salt) external returns (address group);

    /// @notice Where {createGroup} puts, or has put, a group.
    function groupAddress(
        address creator,
        GroupConfig calldata config,
        bytes32 salt
    ) external view returns (address group);

    /// @notice The contract behind every group of this factory.
    function implementation() external view returns (address);
}
