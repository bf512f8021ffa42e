// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Pays invoices that a privacy group settles
/// @notice Who owes whom for what stays inside the group. The chain sees a payment, and that the group endorsed it:
/// the group's own address makes the call, and it makes none that its members did not sign.
contract InvoiceEscrow {
    address public immutable group;

    mapping(bytes32 invoice => bool isPaid) public paid;

    event InvoicePaid(bytes32 indexed invoice, address indexed payee, uint256 amount);

    error InvoiceEscrowNotTheGroup(address caller);
    error InvoiceEscrowPaidAlready(bytes32 invoice);
    error InvoiceEscrowPaymentFailed(address payee, uint256 amount);

    constructor(address group_) payable {
        group = group_;
    }

    receive() external payable {}

    function pay(bytes32 invoice, address payee, uint256 amount) external {
        if (msg.sender != group) revert InvoiceEscrowNotTheGroup(msg.sender);
        if (paid[invoice]) revert InvoiceEscrowPaidAlready(invoice);
        paid[invoice] = true;
        emit InvoicePaid(invoice, payee, amount);
        (bool isDone, ) = payee.call{ value: amount }("");
        if (!isDone) revert InvoiceEscrowPaymentFailed(payee, amount);
    }
}
