import { keccak_256 } from "@noble/hashes/sha3.js";
import { expect } from "chai";
import fc from "fast-check";
import { createKeccak } from "hash-wasm";

import { keccak256, keccak256Hex, toHex } from "../../src/ledger/index.ts";

describe("a hash", () => {
  // WebAssembly is compiled in the background.
  before(async () => {
    await createKeccak(256);
  });

  it("is that of any other implementation, for bytes of any length", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        const expected = keccak_256(bytes);
        expect(keccak256(bytes)).to.deep.equal(expected);
        expect(keccak256Hex(bytes)).to.equal(toHex(expected));
      }),
    );
  });

  it("of a text is that of its bytes in UTF-8", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const expected = keccak_256(new TextEncoder().encode(text));
        expect(keccak256(text)).to.deep.equal(expected);
        expect(keccak256Hex(text)).to.equal(toHex(expected));
      }),
    );
  });

  it("stays as it is when another one is made", () => {
    const first = keccak256("one");
    keccak256("two");
    expect(first).to.deep.equal(keccak256("one"));
  });
});
