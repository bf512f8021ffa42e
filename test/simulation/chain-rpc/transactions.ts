import { Transaction, Wallet } from "ethers";
import { expect } from "chai";
import fc from "fast-check";

import {
  parseAddress,
  parseHex,
  recoverSigner,
  toHex,
} from "../../../src/ledger/index.ts";
import {
  decodeTransaction,
  TransactionError,
} from "../../../src/simulation/chain-rpc/transaction.ts";

const wallet = new Wallet(`0x${"07".repeat(32)}`);

const anAmount = fc.bigInt({ min: 0n, max: 2n ** 80n });
const someFields = fc.record({
  nonce: fc.nat(),
  gasLimit: anAmount,
  value: anAmount,
  chainId: fc.bigInt({ min: 1n, max: 2n ** 32n }),
  data: fc.uint8Array({ maxLength: 300 }).map(toHex),
  to: fc.option(fc.uint8Array({ minLength: 20, maxLength: 20 }).map(toHex), {
    nil: null,
  }),
});

describe("simulation: raw transactions", () => {
  it("are decoded as ethers decodes them, with fees or with a gas price", async () => {
    await fc.assert(
      fc.asyncProperty(
        someFields,
        anAmount,
        anAmount,
        fc.boolean(),
        async (fields, fee, other, isLegacy) => {
          const [tip, maxFee] = fee < other ? [fee, other] : [other, fee];
          const fees = isLegacy
            ? { type: 0, gasPrice: fee }
            : { type: 2, maxFeePerGas: maxFee, maxPriorityFeePerGas: tip };
          const raw = await wallet.signTransaction({ ...fields, ...fees });
          const expected = Transaction.from(raw);
          const decoded = decodeTransaction(parseHex(raw), recoverSigner);
          expect(decoded).to.deep.include({
            hash: expected.hash,
            from: parseAddress(wallet.address),
            to: fields.to ?? undefined,
            nonce: fields.nonce,
            value: fields.value,
            data: fields.data,
            gasLimit: fields.gasLimit,
            chainId: fields.chainId,
            maxFee: isLegacy ? fee : maxFee,
            tip: isLegacy ? fee : tip,
            parity: expected.signature?.yParity,
          });
        },
      ),
    );
  });

  it("are refused when they are anything else", () => {
    const refused = (bytes: Uint8Array): void => {
      expect(() => decodeTransaction(toHex(bytes), recoverSigner)).to.throw(
        TransactionError,
      );
    };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        refused(bytes);
        refused(new Uint8Array([2, ...bytes]));
        refused(new Uint8Array([0xc0 + (bytes.length % 56), ...bytes]));
      }),
    );
  });
});
