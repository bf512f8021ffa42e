import { expect } from "chai";

import { readAnswer, readCall } from "../../../src/plugin/connection/call.ts";
import type { AbiEntry } from "../../../src/domains/domain.ts";
import { groupToken } from "../../../src/domains/group-token.ts";
import { expectError } from "../helpers/errors.ts";

const param = (name: string, type: string, components?: object[]) => ({
  name,
  type,
  ...(components && { components }),
});

const pair = [param("left", "int8"), param("right", "bytes2")];
const all = [
  param("flag", "bool"),
  param("who", "address"),
  param("data", "bytes"),
  param("pairs", "tuple[]", pair),
  param("three", "uint8[3]"),
];

const abi: readonly AbiEntry[] = [
  {
    type: "function",
    name: "all",
    stateMutability: "nonpayable",
    inputs: all,
    outputs: all,
  },
  {
    type: "function",
    name: "two",
    stateMutability: "view",
    inputs: [param("a", "string")],
    outputs: [],
  },
  {
    type: "function",
    name: "two",
    stateMutability: "view",
    inputs: [param("a", "uint256")],
    outputs: [],
  },
  { type: "event", name: "Event", inputs: [] },
];
const domain = { ...groupToken, abi };

const good = {
  flag: true,
  who: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  data: "0xABcd",
  pairs: [{ left: -128n, right: "0x0001" }],
  three: [0, 255n, "7"],
};

describe("connection.sequencer: calls", function () {
  it("reads every type of the ABI", function () {
    const { signature, args, fragment } = readCall(domain, "all", good);
    expect(signature).to.equal(
      "all(bool,address,bytes,(int8,bytes2)[],uint8[3])",
    );
    expect(args).to.deep.equal({
      flag: true,
      who: good.who.toLowerCase(),
      data: "0xabcd",
      pairs: [{ left: "-128", right: "0x0001" }],
      three: ["0", "255", "7"],
    });
    expect(readAnswer(fragment, { ...args, more: "1" })).to.deep.equal({
      ...args,
      pairs: [{ left: -128n, right: "0x0001" }],
      three: [0n, 255n, 7n],
      more: "1",
    });
  });

  it("wants the types where a name is not clear", async function () {
    await expectError("FUNCTION_AMBIGUOUS", () => readCall(domain, "two", {}));
    expect(readCall(domain, "two(uint256)", { a: 1 }).args).to.deep.equal({
      a: "1",
    });
    for (const name of ["Event", "", "toString", "two(bool)"])
      await expectError("FUNCTION_UNKNOWN", () => readCall(domain, name, {}));
  });

  it("refuses values that do not fit, each with its place", async function () {
    const wrong: readonly (readonly [object, string])[] = [
      [{ flag: "true" }, "flag"],
      [{ flag: 1 }, "flag"],
      [{ who: good.who.replace("C8", "c8") }, "who"],
      [{ who: "0x01" }, "who"],
      [{ data: "0xa" }, "data"],
      [{ data: "ab" }, "data"],
      [{ pairs: {} }, "pairs"],
      [{ pairs: [[1, "0x0001"]] }, "pairs[0]"],
      [{ pairs: [{ left: 128, right: "0x0001" }] }, "pairs[0].left"],
      [{ pairs: [{ left: 1, right: "0x01" }] }, "pairs[0].right"],
      [{ pairs: [{ left: 1, right: "0x0001", up: 1 }] }, "pairs[0].up"],
      [{ three: [1, 2] }, "three"],
      [{ three: [1, 2, 256] }, "three[2]"],
      [{ three: [1, 2, -1] }, "three[2]"],
      [{ three: [1, 2, 2 ** 53] }, "three[2]"],
      [{ three: [1, 2, "1e1"] }, "three[2]"],
      [{ flag: undefined }, "flag is missing"],
    ];
    for (const [change, text] of wrong) {
      const args = { ...good, ...change } as never;
      await expectError("ARGUMENTS_INVALID", () =>
        readCall(domain, "all", args),
      );
      expect(() => readCall(domain, "all", args)).to.throw(text);
    }
  });

  it("names unknown arguments, missing ones, and the names that there are", async function () {
    const { flag, ...rest } = good;
    const error = await expectError("ARGUMENTS_INVALID", () =>
      readCall(domain, "all", { ...rest, flags: flag }),
    );
    expect(error.message).to.include(
      "flags is unknown; the names are flag, who, data, pairs, three; flag is missing",
    );
    expect(error.message).to.include("all(bool flag, address who, ");
    for (const args of [undefined, null, [], "", 1])
      await expectError("ARGUMENTS_INVALID", () =>
        readCall(domain, "two(string)", args),
      );
  });

  it("lists the functions with their arguments when a name is wrong", async function () {
    for (const name of ["", "three"]) {
      const { message } = await expectError("FUNCTION_UNKNOWN", () =>
        readCall(domain, name, {}),
      );
      expect(message).to.include("\n  two(string a) view");
      expect(message).to.include("\n  two(uint256 a) view");
    }
  });

  it("does not take arguments from where every object has some", async function () {
    const named = {
      ...groupToken,
      abi: [
        {
          type: "function",
          name: "f",
          stateMutability: "nonpayable",
          inputs: [param("constructor", "string")],
          outputs: [],
        },
      ],
    };
    await expectError("ARGUMENTS_INVALID", () => readCall(named, "f", {}));
  });
});
