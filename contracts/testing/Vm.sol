// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title The cheat codes that our tests use, as Hardhat 3 and Foundry offer them
/// @dev Part of forge-std's interface of the same name, which npm does not carry. Both describe the same contract, so
/// they can be used side by side.
// solhint-disable-next-line interface-starts-with-i
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function addr(uint256 privateKey) external pure returns (address keyAddr);
    function signCompact(uint256 privateKey, bytes32 digest) external pure returns (bytes32 r, bytes32 vs);

    function getCode(string calldata artifactPath) external view returns (bytes memory creationBytecode);

    function roll(uint256 newHeight) external;
    function getBlockNumber() external view returns (uint256 height);
    function chainId(uint256 newChainId) external;
    function deal(address account, uint256 newBalance) external;

    function load(address target, bytes32 slot) external view returns (bytes32 data);
    function store(address target, bytes32 slot, bytes32 value) external;

    function prank(address msgSender) external;
    function snapshotState() external returns (uint256 snapshotId);
    function revertToState(uint256 snapshotId) external returns (bool success);

    function assume(bool condition) external pure;
    function expectRevert(bytes calldata revertData) external;
    function expectEmit(address emitter) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory logs);
}
