import { inspect } from "node:util";

import { expect } from "chai";
import { Transaction } from "ethers";

import {
  parseAddress,
  parseDigest,
  parseHex,
  parseSignature,
  recoverSigner,
} from "../../src/ledger/index.ts";
import { KeyError } from "../../src/keys/key-error.ts";
import { createEndorser, createPayer } from "../../src/keys/secp256k1.ts";
import { word } from "../helpers/stores.ts";

const secret =
  "1d2c3b4a59687766554433221100ffeeddccbbaa99887766554433221100aabb";
const privateKey = `0x${secret}`;

describe("an endorser", () => {
  it("signs digests that the ledger takes", async () => {
    const endorser = createEndorser(privateKey);
    const digest = parseDigest(word(5));
    const signature = await endorser.sign(digest);
    expect(recoverSigner(digest, parseSignature(signature))).to.equal(
      endorser.address,
    );
  });
});

describe("a payer", () => {
  it("signs transactions with exactly what it was given", async () => {
    const payer = createPayer(privateKey);
    const unsigned = {
      chainId: 31_337n,
      nonce: 7,
      to: parseAddress(`0x${"ab".repeat(20)}`),
      data: parseHex("0x0102"),
      value: 0n,
      gasLimit: 100_000n,
      maxFeePerGas: 20n,
      maxPriorityFeePerGas: 1n,
    };
    const signed = Transaction.from(await payer.signTransaction(unsigned));
    expect(signed.from?.toLowerCase()).to.equal(payer.address);
    expect(signed).to.include({
      type: 2,
      chainId: 31_337n,
      nonce: 7,
      data: "0x0102",
      gasLimit: 100_000n,
      maxFeePerGas: 20n,
      maxPriorityFeePerGas: 1n,
      value: 0n,
    });
    expect(signed.to?.toLowerCase()).to.equal(unsigned.to);
  });
});

describe("a private key", () => {
  for (const [name, create] of [
    ["an endorser", createEndorser],
    ["a payer", createPayer],
  ] as const)
    it(`is not shown by ${name}`, () => {
      const made = create(privateKey);
      const shown = [
        inspect(made, { depth: 9, showHidden: true, getters: true }),
        JSON.stringify(made),
        JSON.stringify(Object.getOwnPropertyDescriptors(made)),
        ...Object.values(made).map(String),
      ].join("\n");
      expect(shown).to.include(made.address);
      expect(shown).to.not.include(secret.slice(0, 12));
      expect(shown).to.not.include(BigInt(privateKey).toString().slice(0, 12));
    });

  it("is refused without being shown", () => {
    const order =
      "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
    for (const value of [
      secret,
      `${privateKey}0`,
      privateKey.slice(0, -1),
      word(0),
      order,
      undefined,
      7,
    ])
      for (const create of [createEndorser, createPayer]) {
        let thrown: unknown;
        try {
          create(value);
        } catch (error) {
          thrown = error;
        }
        expect(thrown)
          .to.be.instanceOf(KeyError)
          .with.property("code", "INVALID");
        expect(inspect(thrown)).to.not.include(secret.slice(0, 12));
      }
  });
});
