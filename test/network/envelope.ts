import { expect } from "chai";
import fc from "fast-check";

import { limits } from "../../src/protocol/limits.ts";
import {
  createSeal,
  EnvelopeOpener,
  type Seal,
} from "../../src/network/envelope.ts";
import {
  bodyBytesMax,
  envelopeBytesMax,
} from "../../src/network/envelope-bytes.ts";
import { windowSize } from "../../src/network/replay-window.ts";
import { networkIdOf } from "../../src/network/network-id.ts";
import { createSession, unknownSession } from "../../src/network/session.ts";
import { Members, sessionOf } from "../helpers/members.ts";
import { nodeName } from "../helpers/stores.ts";

const members = new Members("alice", "bob", "carol");
const alice = nodeName("alice");
const bob = nodeName("bob");

const sealOf = (name: string, boot = 1): Seal =>
  createSeal(members.own(name, { boot }));
const openerOf = (name: string, boot = 1): EnvelopeOpener =>
  new EnvelopeOpener(members.own(name, { boot }));

function sealed(
  seal: Seal,
  body: string,
  to = bob,
  session = sessionOf(to),
): Uint8Array {
  return seal({ name: to, session }, body);
}

/** What came out of an envelope, without what it says about the boot of its sender. */
function open(opener: EnvelopeOpener, wire: unknown): object {
  const { isNewBoot, ...opened } = {
    isNewBoot: false,
    ...opener.open(wire),
  };
  expect(isNewBoot).to.be.a("boolean");
  return opened;
}

const body = (text: string): object => ({
  type: "body",
  from: alice,
  body: text,
});
const misaddressed = { type: "misaddressed", from: alice, isGreeting: false };
const dropped = (reason: string): object => ({ type: "dropped", reason });

describe("an envelope", () => {
  it("gives its body and who sent it", () => {
    const seal = sealOf("alice");
    const opener = openerOf("bob");
    for (const text of ["hello", "üñí 🔑", '\ufeff{"a":1}'])
      expect(open(opener, sealed(seal, text))).to.deep.equal(body(text));
  });

  it("carries any text", () => {
    const seal = sealOf("alice");
    const opener = openerOf("bob");
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 }),
        (text) => {
          expect(open(opener, sealed(seal, text))).to.deep.equal(body(text));
        },
      ),
      { seed: 7, numRuns: 200 },
    );
  });

  it("is for its receiver only", () => {
    const wire = sealed(sealOf("alice"), "hello");
    expect(open(openerOf("carol"), wire)).to.deep.equal(
      dropped("wrong-receiver"),
    );
    // Not even for its sender, if somebody sends it back.
    expect(open(openerOf("alice"), wire)).to.deep.equal(
      dropped("wrong-receiver"),
    );
  });

  it("comes from somebody who is known", () => {
    const mallory = createSeal({
      ...members.own("carol"),
      name: nodeName("mallory"),
    });
    expect(open(openerOf("bob"), sealed(mallory, "hello"))).to.deep.equal(
      dropped("unknown-sender"),
    );
  });

  it("is signed by the node that it names", () => {
    const forger = createSeal({
      ...members.own("carol", { boot: 9 }),
      name: alice,
    });
    const opener = openerOf("bob");
    expect(open(opener, sealed(forger, "hello"))).to.deep.equal(
      dropped("forged"),
    );
    // What is forged leaves no trace: boot 1 is not older than anything genuine.
    expect(open(opener, sealed(sealOf("alice"), "hello"))).to.deep.equal(
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
    expect(open(opener, wire)).to.deep.equal(body("hello"));
  });

  it("has a bounded size", () => {
    const seal = sealOf("alice");
    const opener = openerOf("bob");
    const largest = "x".repeat(bodyBytesMax);
    expect(limits.messageBytes).to.be.lessThan(bodyBytesMax);
    expect(open(opener, sealed(seal, largest))).to.deep.equal(body(largest));
    for (const larger of [`${largest}x`, `${largest.slice(1)}ü`])
      expect(() => sealed(seal, larger)).to.throw("too large");
    expect(open(opener, new Uint8Array(envelopeBytesMax + 1))).to.deep.equal(
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
      expect(open(opener, wires[n])).to.deep.equal(body(String(n)));
    for (const wire of wires)
      expect(open(opener, wire)).to.deep.equal(dropped("replayed"));
  });

  it("remembers so many, and refuses what is further behind", () => {
    const seal = sealOf("alice");
    const opener = openerOf("bob");
    const wires = Array.from({ length: windowSize + 1 }, (_, n) =>
      sealed(seal, String(n)),
    );
    expect(opener.open(wires.at(-1)).type).to.equal("body");
    expect(open(opener, wires[0])).to.deep.equal(dropped("replayed"));
    expect(open(opener, wires[1])).to.deep.equal(body("1"));
    expect(open(opener, wires[1])).to.deep.equal(dropped("replayed"));
  });

  it("counts the envelopes of each sender and each receiver apart", () => {
    const seal = sealOf("alice");
    const opener = openerOf("bob");
    for (let n = 0; n < 2 * windowSize; n++)
      sealed(seal, "to carol", nodeName("carol"));
    expect(opener.open(sealed(sealOf("carol"), "x")).type).to.equal("body");
    expect(opener.open(sealed(seal, "x")).type).to.equal("body");
  });

  it("forgets the numbers of an older boot, and refuses it", () => {
    const opener = openerOf("bob");
    const old = sealOf("alice", 1);
    const late = sealed(old, "late");
    expect(opener.open(sealed(old, "old")).type).to.equal("body");
    const young = sealOf("alice", 2);
    expect(open(opener, sealed(young, "new"))).to.deep.equal(body("new"));
    expect(open(opener, late)).to.deep.equal(dropped("replayed"));
    expect(open(opener, sealed(young, "newer"))).to.deep.equal(body("newer"));
  });

  it("takes nothing again that came before a restart, whatever it remembers", () => {
    const before = openerOf("bob", 1);
    const seal = sealOf("alice");
    const wires = ["a", "b"].map((text) => sealed(seal, text));
    for (const wire of wires) expect(before.open(wire).type).to.equal("body");
    const after = openerOf("bob", 2);
    for (const wire of wires)
      expect(open(after, wire)).to.deep.equal(misaddressed);
    for (const wire of wires)
      expect(open(after, wire)).to.deep.equal(dropped("replayed"));
    const next = sealed(seal, "c", bob, sessionOf("bob", 2));
    expect(open(after, next)).to.deep.equal(body("c"));
  });

  it("answers each envelope for another session once, if it is genuine", () => {
    const opener = openerOf("bob");
    const other = sessionOf("bob", 7);
    const forged = createSeal({ ...members.own("carol"), name: alice });
    expect(open(opener, sealed(forged, "x", bob, other))).to.deep.equal(
      dropped("forged"),
    );
    expect(opener.sessionOf(alice)).to.equal(undefined);
    const seal = sealOf("alice");
    const [first, second] = ["1", "2"].map((text) =>
      sealed(seal, text, bob, other),
    );
    expect(open(opener, second)).to.deep.equal(misaddressed);
    for (const wire of [first, second])
      expect(open(opener, wire)).to.deep.equal(dropped("replayed"));
    expect(opener.sessionOf(alice)).to.equal(sessionOf("alice"));
  });

  it("learns the session of a peer from its latest boot, and never goes back", () => {
    const opener = openerOf("bob");
    const greet = (boot: number): object =>
      opener.open(sealed(sealOf("alice", boot), "", bob, unknownSession));
    const greeting = { type: "misaddressed", from: alice, isGreeting: true };
    expect(greet(3)).to.deep.equal({ ...greeting, isNewBoot: true });
    expect(greet(2)).to.deep.equal(dropped("replayed"));
    expect(opener.sessionOf(alice)).to.equal(sessionOf("alice", 3));
    expect(greet(5)).to.deep.equal({ ...greeting, isNewBoot: true });
    expect(opener.sessionOf(alice)).to.equal(sessionOf("alice", 5));
    expect(opener.bootOf(alice)).to.equal(5);
  });

  it("hears a peer whose disk was restored, in a later session of the same boot", () => {
    const opener = openerOf("bob");
    const [before, after] = [1, 2].map((nowMs) =>
      createSeal({ ...members.own("alice"), session: createSession(nowMs) }),
    );
    if (before === undefined || after === undefined) throw new Error();
    const late = sealed(before, "late");
    expect(open(opener, sealed(before, "first"))).to.deep.equal(body("first"));
    expect(open(opener, sealed(after, "second"))).to.deep.equal(body("second"));
    for (const wire of [late, sealed(before, "third")])
      expect(open(opener, wire)).to.deep.equal(dropped("replayed"));
    expect(open(opener, sealed(after, "fourth"))).to.deep.equal(body("fourth"));
  });

  it("does not hear an older copy of a peer, also after a restart", () => {
    const boots = new Map([[alice, 5]]);
    const opener = new EnvelopeOpener(members.own("bob", { boots }));
    expect(open(opener, sealed(sealOf("alice", 4), "old"))).to.deep.equal(
      dropped("replayed"),
    );
    expect(open(opener, sealed(sealOf("alice", 5), "same"))).to.deep.equal(
      body("same"),
    );
  });

  it("takes nothing from another chain or another factory", () => {
    const here = { chainId: 1n, factory: `0x${"ab".repeat(20)}` };
    const network = networkIdOf(here);
    const opener = new EnvelopeOpener(members.own("bob", { network }));
    for (const there of [
      { ...here, chainId: 2n },
      { ...here, chainId: 10n },
      { ...here, factory: `0x${"ac".repeat(20)}` },
    ]) {
      const other = { network: networkIdOf(there) };
      const seal = createSeal(members.own("alice", other));
      expect(open(opener, sealed(seal, "hello"))).to.deep.equal(
        dropped("wrong-network"),
      );
    }
    const same = {
      ...here,
      factory: here.factory.toUpperCase().replace("X", "x"),
    };
    const seal = createSeal(
      members.own("alice", { network: networkIdOf(same) }),
    );
    expect(open(opener, sealed(seal, "hello"))).to.deep.equal(body("hello"));
  });
});
