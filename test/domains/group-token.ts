import { expect } from "chai";
import fc from "fast-check";

import type { Json } from "../../src/domains/domain.ts";
import { groupToken } from "../../src/domains/group-token.ts";
import { groupAt, intentId, nodeName, stateId } from "../helpers/stores.ts";

const alice = nodeName("alice");
const group = {
  address: groupAt(1),
  members: [alice],
  endorsers: [alice],
  configuration: {},
};

/** What members say about a step with this payload that creates these coins out of nothing. */
function faultOf(payload: string, ...coins: readonly Json[]): unknown {
  return groupToken.endorse({
    group,
    intentId: intentId(1),
    sender: alice,
    payload,
    inputs: [],
    reads: [],
    outputs: coins.map((data, index) => ({
      id: stateId(index),
      schema: "coin",
      label: "pot",
      data,
    })),
    infos: [],
    calls: [],
  });
}

const coin = { account: "pot", amount: "5" };
const mint = { type: "mint", to: "pot", amount: "5" };

describe("A group-token", () => {
  it("takes a step that does what its intent says", () => {
    expect(faultOf(JSON.stringify(mint), coin)).to.equal(undefined);
  });

  it("takes what it wrote itself", () => {
    const { payload } = groupToken.check({
      group,
      node: alice,
      from: "alice",
      signature: "transfer(string,string,uint256)",
      args: { from: "a", to: "b", amount: "1" },
    });
    expect(faultOf(payload)).to.equal("the balance of a");
  });

  for (const [what, payload] of [
    ["no JSON", "{"],
    ["no object", "7"],
    ["nothing", "null"],
    ["a list", "[]"],
    ["an unknown type", JSON.stringify({ ...mint, type: "steal" })],
    ["one field more", JSON.stringify({ ...mint, from: "pot" })],
    ["one field less", JSON.stringify({ type: "mint", amount: "5" })],
    ["an amount that is a number", JSON.stringify({ ...mint, amount: 5 })],
    ["a negative amount", JSON.stringify({ ...mint, amount: "-5" })],
    ["a zero in front", JSON.stringify({ ...mint, amount: "05" })],
    ["an account that is none", JSON.stringify({ ...mint, to: "<b>" })],
    ["a transfer from nobody", '{"type":"transfer","to":"a","amount":"1"}'],
    ["a burn of nobody's", '{"type":"burn","amount":"1"}'],
  ] as const)
    it(`refuses an intent that is ${what}`, () => {
      expect(faultOf(payload, coin)).to.equal("the intent makes no sense");
    });

  for (const [what, data] of [
    ["something else", "coin"],
    ["nothing", null],
    ["somebody else's", { ...coin, account: "shop" }],
    ["a coin with a note on it", { ...coin, note: "" }],
    ["a coin without a value", { account: "pot" }],
    ["a coin whose value is a number", { ...coin, amount: 5 }],
    ["a coin that is worth nothing", { ...coin, amount: "0" }],
    ["a coin beyond 256 bits", { ...coin, amount: `${2n ** 256n}` }],
  ] as const)
    it(`refuses to create ${what}`, () => {
      expect(faultOf(JSON.stringify(mint), data)).to.equal(
        "an output is no coin",
      );
    });

  it("never throws, whatever it is asked to endorse", () => {
    fc.assert(
      fc.property(fc.json(), fc.jsonValue(), (payload, data) => {
        expect(faultOf(payload, data as Json)).to.be.a("string");
      }),
    );
  });
});
