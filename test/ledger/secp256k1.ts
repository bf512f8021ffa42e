import { expect } from "chai";
import fc from "fast-check";

import {
  parseDigest,
  parseHex,
  parseSignature,
  recoverSigner,
  toHex,
} from "../../src/ledger/index.ts";
import { nativeCurve } from "../../src/ledger/native-curve.ts";
import { plainCurve } from "../../src/ledger/secp256k1.ts";

const word = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => toHex(bytes));
// Keys are smaller than the order, which begins with many ones.
const key = word
  .filter((hex) => BigInt(hex) > 0n)
  .map((hex) => parseHex(`0x7${hex.slice(3)}`));

describe("signatures", () => {
  it("are the same in JavaScript and with libsecp256k1", function () {
    if (nativeCurve === undefined) {
      // There is nothing to compare on a machine for which the library is not compiled.
      expect(`${process.platform}-${process.arch}`).to.not.equal("linux-x64");
      return;
    }
    const native = nativeCurve;
    fc.assert(
      fc.property(key, word, (privateKey, digest) => {
        const signature = native.signer(privateKey)(digest);
        expect(signature).to.equal(plainCurve.signer(privateKey)(digest));
        const made = [parseDigest(digest), parseSignature(signature)] as const;
        expect(native.recover(...made)).to.equal(plainCurve.recover(...made));
      }),
      { numRuns: 50 },
    );
  });

  it("that nobody made are nobody's, in both", () => {
    fc.assert(
      fc.property(key, key, word, (r, s, digest) => {
        const signature = { r: parseDigest(r), vs: parseDigest(s) };
        const outcomes = [plainCurve, nativeCurve ?? plainCurve].map(
          ({ recover }) => {
            try {
              return recover(parseDigest(digest), signature);
            } catch {
              return undefined;
            }
          },
        );
        expect(outcomes[0]).to.equal(outcomes[1]);
      }),
      { numRuns: 50 },
    );
  });

  it("with numbers out of range are nobody's", () => {
    const zero = parseDigest(`0x${"00".repeat(32)}`);
    const one = parseDigest(`0x${"00".repeat(31)}01`);
    expect(recoverSigner(one, { r: zero, vs: one })).to.equal(undefined);
    expect(recoverSigner(one, { r: one, vs: zero })).to.equal(undefined);
  });
});
