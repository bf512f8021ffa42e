// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { Atom } from "../../contracts/AtomFactory.sol";
import { IExternalCalls } from "../../contracts/interfaces/IExternalCalls.sol";
import { IPrivacyGroup } from "../../contracts/interfaces/IPrivacyGroup.sol";
import { LedgerTest } from "./LedgerTest.sol";
import { Tolerant } from "./mocks/Tolerant.sol";

/// @title The signed minimum of gas for external calls
/// @dev Whoever submits a transition chooses its gas. Without a minimum that is enough to choose what a tolerant target
/// does.
contract CallGasTest is LedgerTest {
    uint64 internal constant ENOUGH = 300_000;

    Tolerant internal tolerant = new Tolerant();

    function setUp() public override {
        super.setUp();
        group = createGroup(3, THRESHOLD, true);
    }

    function test_ASubmitterCannotStarveACall() public {
        _executeWithTheLeastGas(ENOUGH);
        isTrue(tolerant.hasWorked() && !tolerant.hasGivenUp(), "worked");
    }

    function test_WithoutAMinimumTheSubmitterDecides() public {
        _executeWithTheLeastGas(0);
        isTrue(tolerant.hasGivenUp() && !tolerant.hasWorked(), "gave up");
    }

    function test_TheMinimumIsSigned() public {
        IPrivacyGroup.Transition memory what = simple();
        what.calls = _calls(ENOUGH);
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));
        what.calls = _calls(ENOUGH - 1);
        expectInvalidEndorsement(
            committeeOf(group).members[0],
            recovered(endorsements.signatures[0], digest(group, transitionHash(what)))
        );
        group.execute(what, endorsements);
    }

    function testFuzz_TheTargetGetsTheMinimum(uint256 gasMin, uint256 given) public {
        IPrivacyGroup.Transition memory what = simple();
        what.calls = _calls(uint64(gasMin % 1_000_000));
        what.calls[0].data = abi.encodeCall(Tolerant.record, ());
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));
        // Enough for everything but the call, and then often too little, often enough.
        given = 250_000 + (given % 1_200_000);
        try group.execute{ gas: given }(what, endorsements) {
            isTrue(tolerant.gasReceived() >= what.calls[0].gasMin, "at least the minimum");
        } catch (bytes memory reason) {
            (uint256 index, uint256 wanted, uint256 available) = _gasTooLow(reason);
            equal(index, 0);
            equal(wanted, what.calls[0].gasMin);
            isTrue(available < wanted, "less than the minimum");
            assertNotFulfilled(group, what.intents[0]);
        }
    }

    /// @dev What the error says is available is what a call with that minimum is satisfied with, to the last unit. There is
    /// so much of it that another part than a 64th would show.
    function test_TheMinimumIsExact() public {
        Atom atom = new Atom();
        // What was touched before costs less, and a test is one transaction.
        equal(_refusal(atom, _calls(0), 15_000_000), "");
        (, , uint256 available) = _gasTooLow(_refusal(atom, _calls(type(uint64).max), 15_000_000));
        uint64 most = uint64(available);
        equal(_refusal(atom, _calls(most), 15_000_000), "");
        uint256 received = tolerant.gasReceived();
        isTrue(received >= most && received < most + 3_000, "all of it, and little more");
        (, uint256 wanted, uint256 stillAvailable) = _gasTooLow(_refusal(atom, _calls(most + 1), 15_000_000));
        equal(wanted, most + 1);
        equal(stillAvailable, most);
    }

    function test_TheLastOfTheGasIsForNobody() public {
        Atom atom = new Atom();
        bool wasEmpty = false;
        for (uint256 given = 4_000; given < 12_000 && !wasEmpty; given += 50) {
            bytes memory reason = _refusal(atom, _calls(1), given);
            if (reason.length == 0) continue;
            (, , uint256 available) = _gasTooLow(reason);
            wasEmpty = available == 0;
        }
        isTrue(wasEmpty, "nothing is available");
    }

    function test_EveryCallHasAMinimumOfItsOwn() public {
        IPrivacyGroup.Transition memory what = simple();
        what.calls = new IExternalCalls.ExternalCall[](2);
        what.calls[0] = _calls(ENOUGH)[0];
        what.calls[1] = _calls(type(uint64).max)[0];
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));
        try group.execute(what, endorsements) {
            isTrue(false, "refused");
        } catch (bytes memory reason) {
            (uint256 index, uint256 wanted, ) = _gasTooLow(reason);
            equal(index, 1);
            equal(wanted, type(uint64).max);
        }
        isTrue(!tolerant.hasWorked(), "all or none");
    }

    /// @dev A submitter gives more and more gas, until the transition happens.
    function _executeWithTheLeastGas(uint64 gasMin) private {
        IPrivacyGroup.Transition memory what = simple();
        what.calls = _calls(gasMin);
        IPrivacyGroup.Endorsements memory endorsements = endorse(group, transitionHash(what));
        for (uint256 given = 50_000; !group.isFulfilled(what.intents[0]); given += 500) {
            try group.execute{ gas: given }(what, endorsements) {} catch {}
        }
    }

    function _calls(uint64 gasMin) private view returns (IExternalCalls.ExternalCall[] memory result) {
        result = calls(address(tolerant), abi.encodeCall(Tolerant.tryToWork, ()));
        result[0].gasMin = gasMin;
    }

    /// @dev Empty if the call is made, or if there is not even gas for an answer.
    function _refusal(
        Atom atom,
        IExternalCalls.ExternalCall[] memory what,
        uint256 given
    ) private returns (bytes memory) {
        try atom.run{ gas: given }(what) {
            return "";
        } catch (bytes memory reason) {
            return reason;
        }
    }

    function _gasTooLow(bytes memory reason) private pure returns (uint256 index, uint256 gasMin, uint256 available) {
        bytes memory arguments = new bytes(reason.length - 4);
        for (uint256 i = 0; i < arguments.length; ++i) arguments[i] = reason[i + 4];
        equal(bytes32(bytes4(reason)), bytes32(IExternalCalls.ExternalCallGasTooLow.selector));
        return abi.decode(arguments, (uint256, uint256, uint256));
    }
}
