import { expect } from "chai";
import { getAddress } from "ethers";
import fc from "fast-check";

import {
  checksumAddress,
  LedgerInputError,
  parseAddress,
  parseBytes32,
  parseCommitment,
  parseDigest,
  parseHex,
  parseIntentId,
  parseLane,
  parseSignature,
  parseStateId,
  parseTransition,
  parseTransitionHash,
  parseUint64,
  toBytes,
  toBytes32,
  toHex,
  UINT64_MAX,
} from "../../src/ledger/index.ts";
import {
  anyAddress,
  anyJunk,
  anyTransition,
} from "../helpers/ledger-arbitraries.ts";

const words = {
  parseBytes32,
  parseIntentId,
  parseStateId,
  parseCommitment,
  parseDigest,
  parseTransitionHash,
};

/** What a parser makes of a value: a result, or the error it throws. */
function attempt(parse: (value: unknown) => unknown, value: unknown): unknown {
  try {
    return parse(value);
  } catch (error) {
    return error;
  }
}

describe("ledger: parsers", function () {
  this.timeout(30_000);

  for (const [name, parse] of Object.entries({
    ...words,
    parseHex,
    parseAddress,
    parseUint64,
    parseLane,
    parseTransition,
    parseSignature,
  })) {
    it(`${name} gives a valid value or a typed error, whatever comes`, function () {
      fc.assert(
        fc.property(anyJunk, (junk) => {
          const result = attempt(parse, junk);
          if (result instanceof LedgerInputError) {
            expect(result.message).to.have.length.below(400);
          } else if (typeof result === "string") {
            expect(result).to.match(/^0x[0-9a-f]*$/);
          } else {
            expect(typeof result).to.be.oneOf(["bigint", "object"]);
            expect(result).not.to.be.an("error");
          }
        }),
        { numRuns: 2_000 },
      );
    });
  }

  it("take 32 bytes in either case and give them in lower case", function () {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const hex = toHex(bytes);
        for (const parse of Object.values(words)) {
          expect(parse(`0x${hex.slice(2).toUpperCase()}`)).to.equal(hex);
        }
        expect(toBytes(hex)).to.deep.equal(bytes);
        expect(toBytes32(bytes)).to.equal(hex);
      }),
    );
  });

  it("name the value that is wrong, but never show all of a long one", function () {
    const key = `0x${"5e".repeat(32)}`;
    const error = attempt((value) => parseAddress(value, "members[3]"), key);
    expect(error)
      .to.be.instanceOf(LedgerInputError)
      .with.property("code", "INVALID_VALUE");
    expect(String(error)).to.include("members[3]").and.not.include(key);
  });

  it("agree with ethers about checksums", function () {
    fc.assert(
      fc.property(anyAddress, (address) => {
        expect(checksumAddress(address)).to.equal(getAddress(address));
        expect(parseAddress(getAddress(address))).to.equal(address);
        expect(parseAddress(`0x${address.slice(2).toUpperCase()}`)).to.equal(
          address,
        );
      }),
    );
  });

  it("refuse an address with a wrong checksum", function () {
    expect(() => parseAddress("0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266"))
      .to.throw(LedgerInputError)
      .with.property("code", "INVALID_VALUE");
  });

  it("take numbers up to 2^64 - 1 as bigint, number or decimal digits", function () {
    expect(parseUint64(UINT64_MAX)).to.equal(2n ** 64n - 1n);
    expect(parseUint64("18446744073709551615")).to.equal(UINT64_MAX);
    expect(parseUint64(7)).to.equal(7n);
    for (const wrong of [
      2n ** 64n,
      "18446744073709551616",
      "99999999999999999999",
      "0x1",
      "01",
      "",
      " 1",
      -1,
      0.5,
      2 ** 53,
    ]) {
      expect(() => parseUint64(wrong)).to.throw(LedgerInputError);
    }
  });

  it("read a transition back from JSON", function () {
    fc.assert(
      fc.property(anyTransition, (transition) => {
        const json = JSON.stringify(transition, (_, value: unknown) =>
          typeof value === "bigint" ? value.toString() : value,
        );
        expect(parseTransition(JSON.parse(json))).to.deep.equal(transition);
      }),
    );
  });

  it("inherit no field of a transition", function () {
    const [transition] = fc.sample(anyTransition, 1);
    expect(() => parseTransition(Object.create(transition ?? {}))).to.throw(
      LedgerInputError,
    );
    const polluted: unknown = JSON.parse(
      `{"__proto__": {"epoch": 1, "intents": []}}`,
    );
    expect(() => parseTransition(polluted)).to.throw(LedgerInputError);
  });

  it("refuse lists and bytes beyond their bounds before looking at the items", function () {
    const [transition] = fc.sample(anyTransition, 1);
    expect(() =>
      parseTransition({ ...transition, intents: new Array(4_097) }),
    ).to.throw(LedgerInputError);
    expect(() =>
      parseTransition({ ...transition, intents: new Array(2) }),
    ).to.throw(LedgerInputError);
    expect(() => parseHex(`0x${"00".repeat(131_073)}`)).to.throw(
      LedgerInputError,
    );
  });
});
