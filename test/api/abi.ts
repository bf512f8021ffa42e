import { expect } from "chai";
import { AbiCoder, ParamType } from "ethers";
import fc from "fast-check";

import { DecodeError, decodeParams } from "../../src/api/abi/decode.ts";
import { encodeParams } from "../../src/api/abi/encode.ts";
import { UserError } from "../../src/api/errors.ts";
import { readParams } from "../../src/api/abi/read-value.ts";

/** A type of the ABI, and values of it as ethers takes them. */
interface Typed {
  readonly type: string;
  readonly value: fc.Arbitrary<unknown>;
}

const hex = (bytes: number): fc.Arbitrary<string> =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((array) => `0x${Buffer.from(array).toString("hex")}`);

const plain: readonly Typed[] = [
  { type: "uint256", value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }) },
  { type: "uint8", value: fc.bigInt({ min: 0n, max: 255n }) },
  {
    type: "int256",
    value: fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n }),
  },
  {
    type: "int24",
    value: fc.bigInt({ min: -(2n ** 23n), max: 2n ** 23n - 1n }),
  },
  { type: "bool", value: fc.boolean() },
  { type: "address", value: hex(20) },
  { type: "bytes32", value: hex(32) },
  { type: "bytes3", value: hex(3) },
  { type: "bytes", value: fc.nat(70).chain(hex) },
  // Half of a pair of surrogates is no text that could be encoded.
  { type: "string", value: fc.string({ unit: "binary" }) },
];

/** Arrays and tuples of others, a few levels deep. */
const typed: fc.Arbitrary<Typed> = fc.letrec<{ any: Typed }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...plain),
    tie("any").map(({ type, value }) => ({
      type: `${type}[]`,
      value: fc.array(value, { maxLength: 3 }),
    })),
    tie("any").map(({ type, value }) => ({
      type: `${type}[2]`,
      value: fc.array(value, { minLength: 2, maxLength: 2 }),
    })),
    fc.array(tie("any"), { minLength: 1, maxLength: 3 }).map((parts) => ({
      type: `tuple(${parts.map(({ type }, at) => `${type} ${at === 1 ? "" : `p${at}`}`).join(", ")})`,
      value: fc.tuple(...parts.map(({ value }) => value)),
    })),
  ),
})).any;

/** Types with values. */
const samples = fc
  .array(typed, { maxLength: 4 })
  .chain((parts) =>
    fc.tuple(
      fc.constant(
        parts.map(({ type }, at) => ParamType.from(`${type} v${at}`)),
      ),
      fc.tuple(...parts.map(({ value }) => value)),
    ),
  );

/** Numbers as text, as users would send them. */
function toJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJson);
  return typeof value === "bigint" ? value.toString() : value;
}

describe("values of the ABI", () => {
  it("are read, encoded and decoded as ethers does", () => {
    fc.assert(
      fc.property(samples, ([params, values]) => {
        const encoded = AbiCoder.defaultAbiCoder().encode(params, values);
        const bytes = Buffer.from(encoded.slice(2), "hex");
        const read = readParams(params, toJson(values));
        expect(encodeParams(params, read)).to.equal(encoded);
        expect(decodeParams(params, bytes)).to.deep.equal(read);
        // What was read can be read again, by name, and stays the same.
        expect(readParams(params, read)).to.deep.equal(read);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it("end with a DecodeError or a value, whatever the bytes are", () => {
    const noise = fc.array(
      fc.oneof(
        fc.nat(400).map((number) => number.toString(16).padStart(64, "0")),
        hex(32).map((text) => text.slice(2)),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(samples, noise, ([params], words) => {
        try {
          decodeParams(params, Buffer.from(words.join(""), "hex"));
        } catch (error) {
          expect(error).to.be.instanceOf(DecodeError);
        }
      }),
      { seed: 2, numRuns: 1_000 },
    );
  });

  it("cannot be blown up by offsets that point to the same place", () => {
    const word = (value: number): string =>
      value.toString(16).padStart(64, "0");
    // An array of 1000 arrays, each at the same place, with 1000 arrays each, and so on.
    const level = word(1_000) + word(1_000 * 32).repeat(1_000);
    const bytes = Buffer.from(word(32) + level.repeat(6), "hex");
    const params = [ParamType.from("uint256[][][][][][] bomb")];
    expect(() => decodeParams(params, bytes)).to.throw(DecodeError);
    const empty = [ParamType.from("uint8[0][4294967295] nothing")];
    expect(() => decodeParams(empty, bytes)).to.throw(DecodeError);
  });

  it("refuse text that has no encoding", () => {
    const params = [ParamType.from("string text")];
    expect(() => encodeParams(params, { text: "half: \ud800" })).to.throw(
      UserError,
    );
  });

  it("keep names that mean something to JavaScript", () => {
    const params = [
      ParamType.from("uint8 __proto__"),
      ParamType.from({ name: "constructor", type: "bool" }),
    ];
    const value: unknown = JSON.parse('{"__proto__": 1, "constructor": true}');
    const read = readParams(params, value);
    expect(JSON.stringify(read)).to.equal(
      '{"__proto__":"1","constructor":true}',
    );
    expect(() => readParams(params, {})).to.throw(/__proto__ is missing/);
    const encoded = encodeParams(params, read);
    expect(encoded).to.equal(
      AbiCoder.defaultAbiCoder().encode(params, [1, true]),
    );
  });
});
