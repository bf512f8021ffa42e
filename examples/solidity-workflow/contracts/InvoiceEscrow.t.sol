// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import { IExternalCalls } from "hardhat-sequencer/contracts/interfaces/IExternalCalls.sol";
import { IPrivacyGroup } from "hardhat-sequencer/contracts/interfaces/IPrivacyGroup.sol";
import { PrivacyGroupTest } from "hardhat-sequencer/contracts/testing/PrivacyGroupTest.sol";
import { Vm } from "hardhat-sequencer/contracts/testing/Vm.sol";

import { InvoiceEscrow } from "./InvoiceEscrow.sol";

contract InvoiceEscrowTest is PrivacyGroupTest {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    address private constant SELLER = address(0x5e11e4);

    IPrivacyGroup private _group;
    InvoiceEscrow private _escrow;
    bytes32[] private _invoice;

    constructor() payable {}

    function setUp() public {
        // Buyer, seller and bank; two of them must endorse. Groups may call out only if created so.
        _group = createGroup(3, 2, true);
        _escrow = new InvoiceEscrow{ value: 10 ether }(address(_group));
        _invoice = submit(_group, transition(_group, nextIntent("seller"), none(), list("invoice 7: 4 ether")));
    }

    function test_SettlingAnInvoicePaysIt() public {
        IPrivacyGroup.Transition memory settlement = _settlement("invoice 7", 4 ether);

        submit(_group, settlement);

        require(SELLER.balance == 4 ether, "paid");
        require(_escrow.paid("invoice 7"), "remembered");
        assertSpent(_group, _invoice[0]);
        assertFulfilled(_group, settlement.intents[0]);
    }

    function test_AFailedPaymentSettlesNothing() public {
        IPrivacyGroup.Transition memory settlement = _settlement("invoice 7", 11 ether);
        bytes memory reason = abi.encodeWithSelector(
            InvoiceEscrow.InvoiceEscrowPaymentFailed.selector,
            SELLER,
            11 ether
        );

        vm.expectRevert(
            abi.encodeWithSelector(IExternalCalls.ExternalCallFailed.selector, 0, address(_escrow), reason)
        );
        submit(_group, settlement);

        assertUnspent(_group, _invoice[0]);
        assertNotFulfilled(_group, settlement.intents[0]);
    }

    function test_RevertWhen_SomebodyElseAsksForPayment() public {
        vm.expectRevert(abi.encodeWithSelector(InvoiceEscrow.InvoiceEscrowNotTheGroup.selector, address(this)));
        _escrow.pay("invoice 7", SELLER, 4 ether);
    }

    /// @dev Spends the private invoice, and pays it in public.
    function _settlement(bytes32 invoice, uint256 amount) private returns (IPrivacyGroup.Transition memory settlement) {
        settlement = transition(_group, nextIntent("buyer"), _invoice, none());
        settlement.calls = new IExternalCalls.ExternalCall[](1);
        settlement.calls[0] = IExternalCalls.ExternalCall(
            address(_escrow),
            abi.encodeCall(InvoiceEscrow.pay, (invoice, SELLER, amount)),
            100_000
        );
    }
}
