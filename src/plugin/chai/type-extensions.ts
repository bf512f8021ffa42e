import type { InterfaceAbi } from "ethers";

import type { AnyPrivateContract } from "../domains/known-contracts.ts";
import type { ErrorName, EventName } from "../domains/private-abi.ts";

export type * from "../../type-extensions.ts";

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- @types/chai has it so
  namespace Chai {
    interface Assertion {
      /**
       * The intent is confirmed by the ledger. Takes an intent, a transaction of a private contract, or a promise of one.
       * @example await expect(group.send("alice", "mint", { to: "pot", amount: 10n })).to.be.confirmed;
       */
      readonly confirmed: AsyncAssertion;
      /**
       * The intent reverted with this reason, or with one that matches. Takes an intent, a transaction or a call of a private
       * contract, or a promise of one.
       * @example await expect(group.send("bob", "burn", { from: "pot", amount: 51n })).to.be.revertedWithReason(/has 50/);
       */
      revertedWithReason(reason: string | RegExp): AsyncAssertion;
      /**
       * The private contract reverted with this custom error.
       * @example await expect(token.send("bob", "transfer", [alice, 1n])).to.be.revertedWithCustomError(token, "ERC20InsufficientBalance");
       */
      revertedWithCustomError<Abi extends InterfaceAbi>(
        contract: AnyPrivateContract<Abi>,
        customErrorName: ErrorName<Abi>,
      ): CustomErrorAssertion;
      /**
       * The private contract emitted this event.
       * @example await expect(token.send("alice", "transfer", [bob, 1n])).to.emit(token, "Transfer").withArgs(alice, bob, 1n);
       */
      emit<Abi extends InterfaceAbi>(
        contract: AnyPrivateContract<Abi>,
        eventName: EventName<Abi>,
      ): EmitAssertion;
    }

    // As in @nomicfoundation/hardhat-ethers-chai-matchers, so that a project may have both.
    interface AsyncAssertion extends Assertion, Promise<void> {}

    interface EmitAssertion extends AsyncAssertion {
      /** With these arguments, in order. A function stands for any value for which it returns true. */
      withArgs(...args: unknown[]): AsyncAssertion;
    }

    interface CustomErrorAssertion extends AsyncAssertion {
      /** With these arguments, in order. A function stands for any value for which it returns true. */
      withArgs(...args: unknown[]): AsyncAssertion;
    }
  }
}
