import { expect } from "chai";
import fc from "fast-check";

import { limits } from "../../../src/protocol/limits.ts";
import { createIdentity } from "../../../src/runtime/keys/identity.ts";
import {
  createSeal,
  EnvelopeOpener,
  type Opened,
  type Seal,
} from "../../../src/runtime/transport/envelope.ts";
import {
  bodyBytesMax,
  envelopeBytesMax,
} from "../../../src/runtime/transport/envelope-bytes.ts";
import { windowSize } from "../../../src/runtime/transport/replay-window.ts";
import { Members } from "../../helpers/members.ts";
import { nodeName } from "../../helpers/stores.ts";

const members = new Members("alice", "bob", "carol");
const alice = nodeName("alice");
const bob = nodeName("bob");

const sealOf = (name: string, boot = 1): Seal =>
  createSeal(members.member(name, { boot }));
const openerOf = (name: string): EnvelopeOpener =>
  new EnvelopeOpener(members.member(name));

function sealed(seal: Seal, body: string, to = bob): Uint8Array {
  const wire = seal(to, body);
  if (wire === undefined) throw new Error("The body is too large.");
  return wire;
}

const body = (text: string): Opened => ({
  type: "body",
  from: alice,
  body: text,
});
const dropped = (reason: string): object => ({ type: "dropped", reason });

describe("an envelope", () => {
  it("gives its body and who sent it", () => {
    const seal = sealOf("alice");
    const opener = openerOf("bob");
    for (const text of ["", "hello", "üñí 🔑", '\ufeff{"a":1}'])
      expect(opener.open(sealed(seal, text))).to.deep.equal(body(text));
  });

  it("carries any text", () => {
    const seal = sealOf("alice");
    const opener = openerOf("bob");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 50 }), (text) => {
        expect(opener.open(sealed(seal, text))).to.deep.equal(body(text));
      }),
      { seed: 7, numRuns: 200 },
    );
  });

  it("is for its receiver only", () => {
    const wire = sealed(sealOf("alice"), "hello");
    expect(openerOf("carol").open(wire)).to.deep.equal(
      dropped("wrong-receiver"),
    );
    // Not even for its sender, if somebody sends it back.
    expect(openerOf("alice").open(wire)).to.deep.equal(
      dropped("wrong-receiver"),
    );
  });

  it("comes from somebody who is known", () => {
    const mallory = createSeal({
      name: nodeName("mallory"),
      boot: 1,
      identity: createIdentity(),
    });
    expect(openerOf("bob").open(sealed(mallory, "hello"))).to.deep.equal(
      dropped("unknown-sender"),
    );
  });

  it("is signed by the node that it names", () => {
    const forger = createSeal({
      name: alice,
      boot: 9,
      identity: members.member("carol").identity,
    });
    const opener = openerOf("bob");
    expect(opener.open(sealed(forger, "hello"))).to.deep.equal(
      dropped("forged"),
    );
    // What is forged leaves no trace: boot 1 is not older than anything genuine.
    expect(opener.open(sealed(sealOf("alice"), "hello"))).to.deep.equal(
      body("hello"),
    );
  });

  it("is no good when a single bit of it is changed", () => {
    const opener = openerOf("bob");
    const wire = sealed(sealOf("alice"), "hello");
    for (let bit = 0; bit < 8 * wire.length; bit++) {
      const changed = Uint8Array.from(wire);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(opener.open(changed).type, `bit ${bit}`).to.equal("dropped");
    }
    expect(opener.open(wire)).to.deep.equal(body("hello"));
  });

  it("has a bounded size", () => {
    const seal = sealOf("alice");
    const opener = openerOf("bob");
    const largest = "x".repeat(bodyBytesMax);
    expect(limits.messageBytes).to.be.lessThan(bodyBytesMax);
    expect(opener.open(sealed(seal, largest))).to.deep.equal(body(largest));
    expect(seal(bob, `${largest}x`)).to.equal(undefined);
    expect(seal(bob, `${largest.slice(1)}ü`)).to.equal(undefined);
    expect(opener.open(new Uint8Array(envelopeBytesMax + 1))).to.deep.equal(
      dropped("oversized"),
    );
  });
});

describe("an opener", () => {
  it("takes envelopes in any order, each once", () => {
    const seal = sealOf("alice");
    const opener = openerOf("bob");
    const wires = Array.from({ length: 5 }, (_, n) => sealed(seal, String(n)));
    for (const n of [4, 0, 2, 1, 3])
      expect(opener.open(wires[n])).to.deep.equal(body(String(n)));
    for (const wire of wires)
      expect(opener.open(wire)).to.deep.equal(dropped("replayed"));
  });

  it("remembers so many, and refuses what is further behind", () => {
    const seal = sealOf("alice");
    const opener = openerOf("bob");
    const wires = Array.from({ length: windowSize + 1 }, (_, n) =>
      sealed(seal, String(n)),
    );
    expect(opener.open(wires.at(-1)).type).to.equal("body");
    expect(opener.open(wires[0])).to.deep.equal(dropped("replayed"));
    expect(opener.open(wires[1])).to.deep.equal(body("1"));
    expect(opener.open(wires[1])).to.deep.equal(dropped("replayed"));
  });

  it("counts the envelopes of each sender and each receiver apart", () => {
    const seal = sealOf("alice");
    const opener = openerOf("bob");
    for (let n = 0; n < 2 * windowSize; n++)
      sealed(seal, "to carol", nodeName("carol"));
    expect(opener.open(sealed(sealOf("carol"), "x")).type).to.equal("body");
    expect(opener.open(sealed(seal, "x")).type).to.equal("body");
    expect(opener.marks()).to.deep.equal(
      new Map([
        [nodeName("carol"), { boot: 1, sequence: 1 }],
        [alice, { boot: 1, sequence: 1 }],
      ]),
    );
  });

  it("forgets the numbers of an older boot, and refuses it", () => {
    const opener = openerOf("bob");
    const old = sealOf("alice", 1);
    const late = sealed(old, "late");
    expect(opener.open(sealed(old, "old")).type).to.equal("body");
    const young = sealOf("alice", 2);
    expect(opener.open(sealed(young, "new"))).to.deep.equal(body("new"));
    expect(opener.open(late)).to.deep.equal(dropped("replayed"));
    expect(opener.open(sealed(young, "newer"))).to.deep.equal(body("newer"));
  });

  it("takes nothing again that came before a restart", () => {
    const before = openerOf("bob");
    const older = sealed(sealOf("alice", 1), "older");
    const seal = sealOf("alice", 2);
    const wires = ["a", "b"].map((text) => sealed(seal, text));
    for (const wire of wires) before.open(wire);
    const after = new EnvelopeOpener(
      members.member("bob", { marks: before.marks() }),
    );
    for (const wire of [older, ...wires])
      expect(after.open(wire)).to.deep.equal(dropped("replayed"));
    expect(after.open(sealed(seal, "c"))).to.deep.equal(body("c"));
  });
});
