import { expect } from "chai";

import type { NodeName } from "../../src/protocol/ids.ts";
import { createWallet } from "../../src/keys/wallet.ts";
import { type Body, decodeBody, encodeBody } from "../../src/node/body.ts";
import { KEY_WAIT_MS, UserKeys } from "../../src/node/user-keys.ts";
import { NodeRefusal } from "../../src/node/service.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";
import { nodeName } from "../helpers/stores.ts";

const [alice, bob] = [nodeName("alice"), nodeName("bob")];

/** Two nodes, and all that they say to each other, which arrives when the test says so. */
class Pair {
  readonly timers = new FakeTimers();
  readonly wallets = new Map([
    [alice, createWallet()],
    [bob, createWallet()],
  ]);
  readonly letters: { from: NodeName; to: NodeName; body: Body }[] = [];
  readonly nodes = new Map<NodeName, UserKeys>();

  constructor() {
    for (const [self, wallet] of this.wallets)
      this.nodes.set(
        self,
        new UserKeys(
          { self },
          {
            wallet,
            timers: this.timers,
            directory: {
              names: () => [alice, bob],
              endorserOf: () => undefined,
              isSignedBy: async () => await Promise.resolve(false),
            },
            send: (to, body) => {
              this.letters.push({ from: self, to, body });
            },
          },
        ),
      );
  }

  node(name: NodeName): UserKeys {
    const node = this.nodes.get(name);
    if (node === undefined) throw new Error(`There is no ${name}.`);
    return node;
  }

  /** What is on its way arrives, as text. */
  deliver(): void {
    for (const { from, to, body } of this.letters.splice(0)) {
      const decoded = decodeBody(encodeBody(body));
      if (decoded.type !== "body") throw new Error(decoded.reason);
      const { body: read } = decoded;
      if (read.type === "key-wanted") this.node(to).answer(from, read.name);
      if (read.type === "key")
        this.node(to).learn(from, read.name, read.publicKey);
    }
  }

  keyOf(node: NodeName, name: string): string | undefined {
    return this.wallets.get(node)?.keyOf(name).publicKey;
  }
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof NodeRefusal) return error.message;
    throw error;
  }
  throw new Error("It was not refused.");
}

describe("The keys of users", () => {
  let pair: Pair;
  const ask = async (name: string, node = bob): Promise<string | undefined> =>
    await pair.node(alice).publicKeyOf({ name, node });
  beforeEach(() => {
    pair = new Pair();
  });

  it("are there on first use for users of the node itself", async () => {
    expect(await ask("ann", alice)).to.equal(pair.keyOf(alice, "ann"));
    expect(await ask(`eth_address:0x${"ab".repeat(20)}`, alice)).to.equal(
      undefined,
    );
    expect(pair.letters).to.deep.equal([]);
  });

  it("come from the node of the user, once", async () => {
    const key = ask("ann");
    pair.deliver();
    pair.deliver();
    expect(await key).to.equal(pair.keyOf(bob, "ann"));
    expect(await ask("ann")).to.equal(await key);
    expect(pair.letters).to.deep.equal([]);
    expect(pair.timers.size).to.equal(0);
  });

  it("come also when messages are lost, and to all who wait", async () => {
    const keys = [ask("ann"), ask("ann"), ask("ben")];
    pair.letters.length = 0;
    pair.node(alice).repeat();
    expect(pair.letters).to.have.lengthOf(2);
    pair.deliver();
    pair.deliver();
    const [ann, ben] = ["ann", "ben"].map((name) => pair.keyOf(bob, name));
    expect(await Promise.all(keys)).to.deep.equal([ann, ann, ben]);
  });

  it("are not waited for without end", async () => {
    const refusal = refusalOf(ask("ann"));
    pair.timers.advance(KEY_WAIT_MS - 1);
    pair.node(alice).repeat();
    pair.timers.advance(1);
    expect(await refusal).to.equal(
      "bob has not said within 5 seconds which key ann has. Check that it runs, and ask again.",
    );
    // What comes too late was not asked for.
    const late = pair.keyOf(bob, "ann") ?? "";
    expect(pair.node(alice).learn(bob, "ann", late)).to.equal(false);
    const again = ask("ann");
    pair.deliver();
    pair.deliver();
    expect(await again).to.equal(late);
  });

  it("are not asked for where nobody is, nor too many at once", async () => {
    expect(await refusalOf(ask("ann", nodeName("carol")))).to.equal(
      '"carol" is no node that alice knows. It knows: alice, bob.',
    );
    const open = Array.from(
      { length: 1_000 },
      async (_, i) => await refusalOf(ask(`user${i}`)),
    );
    expect(await refusalOf(ask("one-more"))).to.match(/1000 keys are asked/);
    pair.node(alice).stop();
    expect(new Set(await Promise.all(open))).to.deep.equal(
      new Set(["The node has stopped."]),
    );
    expect(pair.timers.size).to.equal(0);
  });

  it("are taken from nobody else, and only if they are keys", async () => {
    const key = ask("ann");
    const node = pair.node(alice);
    const good = pair.keyOf(bob, "ann") ?? "";
    expect(node.learn(nodeName("mallory"), "ann", good)).to.equal(false);
    expect(node.learn(bob, "ben", good)).to.equal(false);
    for (const bad of [
      `0x04${"11".repeat(64)}`,
      `0x04${"00".repeat(64)}`,
      `0x04${"ff".repeat(64)}`,
    ])
      expect(node.learn(bob, "ann", bad), bad).to.equal(false);
    expect(node.learn(bob, "ann", good)).to.equal(true);
    expect(await key).to.equal(good);
  });

  it("are told to a peer only so often", () => {
    const node = pair.node(bob);
    const answers = (): number =>
      Array.from({ length: 1_000 }, (_, i) =>
        node.answer(alice, `user${i}`),
      ).filter(Boolean).length;
    expect(answers()).to.equal(32);
    expect(node.answer(nodeName("carol"), "ann")).to.equal(true);
    node.repeat();
    expect(answers()).to.equal(32);
  });
});

describe("A body about a key", () => {
  const key = `0x04${"11".repeat(64)}`;
  const malformed = { type: "dropped", reason: "malformed" };
  const read = (body: unknown): unknown => decodeBody(JSON.stringify(body));

  it("is read as it was written", () => {
    const bodies: readonly Body[] = [
      { type: "key-wanted", name: "a" },
      { type: "key", name: "a.b-c_d", publicKey: key },
    ];
    for (const body of bodies)
      expect(decodeBody(encodeBody(body))).to.deep.equal({
        type: "body",
        body,
      });
  });

  it("is dropped when it is anything else", () => {
    const names = ["", "-a", "a@b", "a".repeat(129), "__proto__", 7, null, {}];
    for (const name of names) {
      expect(read({ type: "key-wanted", name })).to.deep.equal(malformed);
      expect(read({ type: "key", name, publicKey: key })).to.deep.equal(
        malformed,
      );
    }
    const keys = [
      `${key}0`,
      key.toUpperCase(),
      `0x02${"11".repeat(32)}`,
      [key],
    ];
    for (const publicKey of [...keys, "", null, undefined])
      expect(read({ type: "key", name: "a", publicKey })).to.deep.equal(
        malformed,
      );
    for (const type of ["key-", "keys", ["key"], { key: 1 }])
      expect(read({ type, name: "a", publicKey: key })).to.deep.equal(
        malformed,
      );
  });
});
