import { expect } from "chai";
import { Transaction, Wallet } from "ethers";
import fc from "fast-check";

import { parseAddress, parseHex, toHex } from "../../src/ledger/index.ts";
import { createPayer } from "../../src/keys/secp256k1.ts";

const privateKey = `0x${"1d2c3b4a".repeat(8)}`;

const unsigned = fc.record({
  chainId: fc.bigInt({ min: 1n, max: 2n ** 52n }),
  nonce: fc.nat(),
  to: fc.option(
    fc
      .uint8Array({ minLength: 20, maxLength: 20 })
      .map((bytes) => parseAddress(toHex(bytes))),
    { nil: undefined },
  ),
  data: fc
    .oneof(
      fc.uint8Array({ maxLength: 70 }),
      fc.uint8Array({ minLength: 250, maxLength: 300 }),
      fc.constant(new Uint8Array(70_000)),
    )
    .map((bytes) => toHex(bytes)),
  value: fc.bigInt({ min: 0n, max: 2n ** 100n }),
  gasLimit: fc.bigInt({ min: 0n, max: 2n ** 40n }),
  maxFeePerGas: fc.bigInt({ min: 0n, max: 2n ** 70n }),
  maxPriorityFeePerGas: fc.bigInt({ min: 0n, max: 2n ** 70n }),
});

describe("the bytes of a transaction", () => {
  it("are those that ethers makes", async () => {
    const wallet = new Wallet(privateKey);
    const payer = createPayer(privateKey);
    await fc.assert(
      fc.asyncProperty(unsigned, async (transaction) => {
        const { to, maxFeePerGas, maxPriorityFeePerGas: tip } = transaction;
        const maxPriorityFeePerGas = tip < maxFeePerGas ? tip : maxFeePerGas;
        const fees = { maxFeePerGas, maxPriorityFeePerGas };
        const expected = await wallet.signTransaction(
          Transaction.from({
            type: 2,
            ...transaction,
            ...fees,
            to: to ?? null,
          }),
        );
        const made = await payer.signTransaction({ ...transaction, ...fees });
        expect(made).to.equal(parseHex(expected));
      }),
      { numRuns: 100 },
    );
  });

  it("are those that ethers makes for a chain without EIP-1559", async () => {
    const wallet = new Wallet(privateKey);
    const payer = createPayer(privateKey);
    await fc.assert(
      fc.asyncProperty(unsigned, async (transaction) => {
        const {
          maxFeePerGas: gasPrice,
          maxPriorityFeePerGas: _,
          ...rest
        } = transaction;
        const expected = await wallet.signTransaction(
          Transaction.from({ type: 0, ...rest, gasPrice, to: rest.to ?? null }),
        );
        const made = await payer.signTransaction({ ...transaction, gasPrice });
        expect(made).to.equal(parseHex(expected));
      }),
      { numRuns: 100 },
    );
  });
});
