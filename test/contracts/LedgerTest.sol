// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IExternalCalls } from "../../contracts/interfaces/IExternalCalls.sol";
import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { IPrivacyGroupFactory } from "../../contracts/interfaces/IPrivacyGroupFactory.sol";
import { PrivacyGroupTest } from "../../contracts/testing/PrivacyGroupTest.sol";
import { Vm } from "../../contracts/testing/Vm.sol";

/// @title What our own tests share: a group of three members, two of whom must sign, and a few assertions
abstract contract LedgerTest is PrivacyGroupTest {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    uint8 internal constant THRESHOLD = 2;
    uint256 internal constant BOTH = 3; // The bits of the first two members.

    /// @dev Where `PrivacyGroup` keeps its registers. {slotOf} is checked against the contract in `Execute.t.sol`.
    uint256 private constant STATES_SLOT = 4;

    IPrivacyGroup internal group;
    IPrivacyGroupFactory private _builtFactory;

    error NotEqual(bytes32 actual, bytes32 expected);
    error NotTrue(string claim);

    function setUp() public virtual {
        group = createGroup(3, THRESHOLD);
        vm.roll(100);
    }

    /// @dev The factory as it is built and shipped, not as it is compiled together with this test.
    function groupFactory() internal override returns (IPrivacyGroupFactory) {
        if (address(_builtFactory) == address(0)) {
            _builtFactory = IPrivacyGroupFactory(deploy("contracts/PrivacyGroupFactory.sol:PrivacyGroupFactory"));
        }
        return _builtFactory;
    }

    function deploy(string memory artifact) internal returns (address deployed) {
        bytes memory code = vm.getCode(artifact);
        assembly ("memory-safe") {
            deployed := create(0, add(code, 0x20), mload(code))
        }
        isTrue(deployed != address(0), "deployed");
    }

    /// @dev A new unspent state.
    function coin(bytes32 commitment) internal returns (bytes32 stateId) {
        return submit(group, transition(group, nextIntent("mint"), none(), list(commitment)))[0];
    }

    /// @dev Two new unspent states, in ascending order of their registers.
    function twoCoins() internal returns (bytes32[] memory) {
        return sortByRegister(submit(group, transition(group, nextIntent("mint"), none(), list("one", "two"))));
    }

    /// @dev The simplest transition there is: a new intent, no states.
    function simple() internal returns (IPrivacyGroup.Transition memory) {
        return transition(group, nextIntent("simple"), none(), none());
    }

    function slotOf(bytes32 stateId) internal pure returns (bytes32) {
        return keccak256(abi.encode(uint256(stateId) >> 192, STATES_SLOT));
    }

    /// @dev One call, with whatever gas there is.
    function calls(
        address target,
        bytes memory data
    ) internal pure returns (IExternalCalls.ExternalCall[] memory result) {
        result = new IExternalCalls.ExternalCall[](1);
        result[0] = IExternalCalls.ExternalCall(target, data, 0);
    }

    /// @dev Who the ledger thinks signed `signed`.
    function recovered(IPrivacyGroup.Signature memory signature, bytes32 signed) internal pure returns (address) {
        bytes32 s = (signature.vs << 1) >> 1;
        return ecrecover(signed, uint8(27 + (uint256(signature.vs) >> 255)), signature.r, s);
    }

    function expectError(bytes4 selector) internal {
        vm.expectRevert(abi.encodeWithSelector(selector));
    }

    function expectError(bytes4 selector, bytes32 value) internal {
        vm.expectRevert(abi.encodeWithSelector(selector, value));
    }

    function expectError(bytes4 selector, uint256 first, uint256 second) internal {
        vm.expectRevert(abi.encodeWithSelector(selector, first, second));
    }

    /// @dev Expects that `member` is said not to have signed, and `other` to have done it.
    function expectInvalidEndorsement(address member, address other) internal {
        vm.expectRevert(abi.encodeWithSelector(IPrivacyGroup.PrivacyGroupInvalidEndorsement.selector, member, other));
    }

    function equal(bytes32 actual, bytes32 expected) internal pure {
        if (actual != expected) revert NotEqual(actual, expected);
    }

    function equal(uint256 actual, uint256 expected) internal pure {
        equal(bytes32(actual), bytes32(expected));
    }

    function equal(address actual, address expected) internal pure {
        equal(uint160(actual), uint160(expected));
    }

    function equal(bytes memory actual, bytes memory expected) internal pure {
        equal(keccak256(actual), keccak256(expected));
    }

    function isTrue(bool condition, string memory claim) internal pure {
        if (!condition) revert NotTrue(claim);
    }
}
