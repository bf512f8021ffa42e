// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { Committees } from "../../contracts/libraries/Committees.sol";
import { TypedData } from "../../contracts/libraries/TypedData.sol";
import { LedgerTest } from "./LedgerTest.sol";

/// @title The narrowest cases, which no other test happens to meet
contract BoundariesTest is LedgerTest {
    /// @dev Where `PrivacyGroup` keeps the address of the current committee's store, next to the epoch.
    uint256 private constant STORE_SLOT = 2;

    function test_InputsInAdjacentRegistersAscend() public {
        bytes32 lower = bytes32((uint256(7) << 192) | 1);
        bytes32 upper = bytes32((uint256(8) << 192) | 1);
        vm.store(address(group), slotOf(lower), lower);
        vm.store(address(group), slotOf(upper), upper);
        bytes32[] memory outputs = submit(group, transition(group, "a", list(lower, upper), list("x", "y")));
        assertSpent(group, lower);
        assertSpent(group, upper);
        equal(uint256(outputs[0]) >> 192, 7);
        equal(uint256(outputs[1]) >> 192, 8);
    }

    /// @dev What a store is a clone of would run if somebody called it, a precompile for example.
    function test_ACallToTheStoreOfACommitteeDoesNothing() public {
        changeCommittee(group, 3, 2);
        address store = address(uint160(uint256(vm.load(address(group), bytes32(STORE_SLOT)))));
        isTrue(store.code.length > 0, "there is a store");

        IPrivacyGroup.Signature memory signature = signatureOf(1, "digest");
        bytes memory recovery = abi.encode(
            bytes32("digest"),
            27 + (uint256(signature.vs) >> 255),
            signature.r,
            (signature.vs << 1) >> 1
        );
        (, bytes memory signer) = address(1).call(recovery);
        equal(abi.decode(signer, (address)), vm.addr(1));
        (bool isDone, bytes memory result) = store.call(recovery);
        isTrue(isDone, "called");
        equal(result.length, 0);
    }

    function test_LoadingACommitteeLeavesOtherMemoryAlone() public {
        changeCommittee(group, 2, 1);
        bytes memory before = abi.encode("before");
        bytes memory loaded = Committees.load(address(group));
        uint256 free;
        assembly ("memory-safe") {
            free := mload(0x40)
        }
        bytes memory copy = bytes.concat(loaded);
        bytes memory later = abi.encode("later");
        bytes memory empty;

        equal(before, abi.encode("before"));
        equal(loaded, copy);
        equal(later, abi.encode("later"));
        equal(empty.length, 0);
        equal(free % 32, 0);
    }

    /// @dev Memory far beyond what is in use would cost many million.
    function test_HashingUsesTheMemoryNextToWhatIsInUse() public view {
        bytes32[] memory words = list("a", "b");
        equal(this.hashWithMemoryInUse{ gas: 500_000 }(16_384, words), keccak256(abi.encodePacked(words)));
    }

    function hashWithMemoryInUse(uint256 size, bytes32[] calldata words) external pure returns (bytes32) {
        bytes memory used = new bytes(size);
        bytes32 hash = TypedData.hash(words);
        equal(used.length, size);
        return hash;
    }
}
