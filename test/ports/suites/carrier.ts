import { expect } from "chai";

import type { NodeName } from "../../../src/protocol/ids.ts";
import type { Connect } from "../../../src/network/carrier.ts";
import { nodeName } from "../../helpers/stores.ts";

/** Ways between alice, bob and carol on which nothing goes wrong. */
export interface CarriersUnderTest {
  /** For a node of that name, which must be one of the three. */
  readonly connect: Connect;
  /** Lets time go on until something holds. */
  readonly until: (holds: () => boolean) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const [alice, bob, carol] = ["alice", "bob", "carol"].map(nodeName) as [
  NodeName,
  NodeName,
  NodeName,
];

/** What carriers do when nothing goes wrong. Envelopes expect no more of them, and work with less. */
export function describeCarrier(
  name: string,
  open: () => Promise<CarriersUnderTest>,
): void {
  describe(`carrier: ${name}`, function () {
    this.timeout(30_000);
    let test: CarriersUnderTest;
    beforeEach(async () => {
      test = await open();
    });
    afterEach(async () => {
      await test.stop();
    });

    /** A node, and what came for it. */
    const join = (
      node: NodeName,
    ): ReturnType<Connect> & { readonly arrived: Uint8Array[] } => {
      const arrived: Uint8Array[] = [];
      const carrier = test.connect(node, (wire) => arrived.push(wire));
      return { ...carrier, arrived };
    };
    const text = (bytes: Uint8Array | undefined): string =>
      bytes === undefined ? "nothing" : Buffer.from(bytes).toString("latin1");
    const wire = (content: string): Uint8Array =>
      Uint8Array.from(Buffer.from(content, "latin1"));

    it("carries all kinds of bytes as they are, to the one that they are for", async () => {
      const [a, b, c] = [join(alice), join(bob), join(carol)];
      const all = Uint8Array.from({ length: 256 }, (_, i) => i);
      const large = new Uint8Array(300_000).map((_, i) => (i * 7919) % 251);
      for (const bytes of [all, large, wire("x")]) a.carry(bob, bytes);
      a.carry(carol, wire("to carol"));
      await test.until(() => b.arrived.length === 3 && c.arrived.length === 1);
      expect(b.arrived.map(text)).to.deep.equal(
        [all, large, wire("x")].map(text),
      );
      expect(c.arrived.map(text)).to.deep.equal(["to carol"]);
      expect(a.arrived).to.deep.equal([]);
    });

    it("keeps the order between two nodes, both ways at once", async () => {
      const [a, b] = [join(alice), join(bob)];
      const sent = Array.from({ length: 500 }, (_, i) => `${i}`);
      for (const one of sent) {
        a.carry(bob, wire(one));
        b.carry(alice, wire(one));
      }
      const count = sent.length;
      await test.until(
        () => a.arrived.length === count && b.arrived.length === count,
      );
      expect(b.arrived.map(text)).to.deep.equal(sent);
      expect(a.arrived.map(text)).to.deep.equal(sent);
    });

    it("hands nothing over before the sender has returned", async () => {
      const a = join(alice);
      const answers: string[] = [];
      let isSending = false;
      const b = test.connect(bob, (bytes) => {
        answers.push(isSending ? "at once" : "later");
        isSending = true;
        b.carry(alice, bytes);
        isSending = false;
      });
      isSending = true;
      a.carry(bob, wire("one"));
      a.carry(bob, wire("two"));
      isSending = false;
      await test.until(() => a.arrived.length === 2);
      expect(answers).to.deep.equal(["later", "later"]);
    });

    it("loses what is for a node that is not there, without a word, and carries what comes then", async () => {
      const a = join(alice);
      const c = join(carol);
      a.carry(nodeName("nobody"), wire("lost"));
      a.carry(bob, wire("may be lost"));
      a.carry(carol, wire("one"));
      await test.until(() => c.arrived.length === 1);
      const b = join(bob);
      await test.until(() => {
        a.carry(bob, wire("here"));
        return b.arrived.length > 0;
      });
      expect(b.arrived.map(text)).to.include.oneOf(["here", "may be lost"]);
    });

    it("carries nothing for a node that has stopped, and nothing from it", async () => {
      const [a, b, c] = [join(alice), join(bob), join(carol)];
      a.carry(bob, wire("before"));
      c.carry(bob, wire("before"));
      await test.until(() => b.arrived.length === 2);
      await a.stop();
      a.carry(bob, wire("too late"));
      b.carry(alice, wire("too late"));
      c.carry(bob, wire("after"));
      await test.until(() => b.arrived.length === 3);
      expect(text(b.arrived.at(-1))).to.equal("after");
      expect(a.arrived).to.deep.equal([]);
    });

    it("lets a node come back under its name, and gives it what is sent from then on", async () => {
      const [a, b] = [join(alice), join(bob)];
      a.carry(bob, wire("first life"));
      await test.until(() => b.arrived.length === 1);
      await b.stop();
      const again = join(bob);
      await test.until(() => {
        a.carry(bob, wire("second life"));
        return again.arrived.length > 0;
      });
      expect(b.arrived).to.have.length(1);
      again.carry(alice, wire("answer"));
      await test.until(() => a.arrived.length > 0);
      expect(a.arrived.map(text)).to.deep.equal(["answer"]);
    });

    it("takes one node of each name at a time", () => {
      join(alice);
      expect(() => join(alice)).to.throw(/alice/);
    });
  });
}
