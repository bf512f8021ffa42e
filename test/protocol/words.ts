import { expect } from "chai";
import fc from "fast-check";

import { parseBytes32 } from "../../src/ledger/hex.ts";
import { parseIntentId } from "../../src/protocol/ids.ts";
import { isWord } from "../../src/protocol/word.ts";

const digits = "0123456789abcdef".split("");

const strange = [..."AFgG/:@`é１\n\0".split(""), "\u{1F600}"];

const mostly = (
  usual: string,
  others: fc.Arbitrary<string>,
): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: others },
  );

/** Strings that are words, or nearly: of another length, with a strange character, or with upper-case digits. */
const candidates = fc
  .record({
    digits: fc.constantFrom(64, 64, 64, 63, 65).chain((length) =>
      fc.array(fc.constantFrom(...digits), {
        minLength: length,
        maxLength: length,
      }),
    ),
    prefix: mostly("0x", fc.constantFrom("0X", "x0", "")),
    at: fc.nat({ max: 70 }),
    other: mostly("", fc.constantFrom(...strange)),
  })
  .map(({ digits: all, prefix, at, other }) => {
    const text = prefix + all.join("");
    if (other === "") return text;
    return text.slice(0, at) + other + text.slice(at + other.length);
  });

describe("Words of 32 bytes", function () {
  this.timeout(60_000);

  it("are what a regular expression for them says", () => {
    const seen = { words: 0, others: 0 };
    fc.assert(
      fc.property(fc.oneof(candidates, fc.string()), (text) => {
        const expected = /^0x[0-9a-f]{64}$/.test(text);
        seen[expected ? "words" : "others"] += 1;
        expect(isWord(text)).to.equal(expected);
        expect(parseIntentId(text)).to.equal(expected ? text : undefined);
      }),
      { numRuns: 1_000 },
    );
    expect(seen.words).to.be.above(50);
    expect(seen.others).to.be.above(400);
  });

  it("may have upper-case digits where they come from a chain or a user", () => {
    fc.assert(
      fc.property(candidates, (text) => {
        const isValid = /^0x[0-9a-fA-F]{64}$/.test(text);
        const parse = (): string => parseBytes32(text);
        if (isValid) expect(parse()).to.equal(text.toLowerCase());
        else expect(parse).to.throw();
      }),
      { numRuns: 1_000 },
    );
  });
});
