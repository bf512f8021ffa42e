import { createServer } from "node:net";
import { once } from "node:events";

import { expect } from "chai";

import { createIdentity } from "../../../src/keys/identity.ts";
import { bodyBytesMax } from "../../../src/network/envelope-bytes.ts";
import { ListenError } from "../../../src/network/socket/listen-error.ts";
import { openSocketNetwork } from "../../../src/network/socket/network.ts";
import { FakeTimers } from "../../helpers/fake-timers.ts";
import { randomFrom } from "../../helpers/random.ts";
import {
  type SocketNode,
  SocketNodes,
  untilTurn,
} from "../../helpers/socket-nodes.ts";
import { nodeName } from "../../helpers/stores.ts";

const alice = nodeName("alice");
const bob = nodeName("bob");
const carol = nodeName("carol");

describe("nodes with sockets", () => {
  let nodes = new SocketNodes();
  beforeEach(() => {
    nodes = new SocketNodes("alice", "bob", "carol");
  });
  afterEach(async () => {
    await nodes.stop();
  });

  /** Resolves when both have heard each other. */
  const met = async (a: SocketNode, b: SocketNode): Promise<void> => {
    a.transport.send(bob, "hello");
    b.transport.send(alice, "hello");
    await a.until(() => a.received.length === 1);
    await b.until(() => b.received.length === 1);
    for (const { received } of [a, b]) received.pop();
  };

  it("get everything, in order, of whatever size", async () => {
    const a = await nodes.start("alice");
    const b = await nodes.start("bob");
    const random = randomFrom(7);
    await met(a, b);
    const sizes = [1, 2, 65_536, 70_000, bodyBytesMax, 300_000, bodyBytesMax];
    const bodies = Array.from({ length: 1_000 }, (_, n) =>
      "x".repeat(sizes[n] ?? random.below(n % 20 === 0 ? 100_000 : 2_000)),
    ).map((text, n) => (n < 7 ? text : `${n} ${text}`));
    for (const body of bodies) {
      a.transport.send(bob, body);
      b.transport.send(alice, body);
    }
    const all = bodies.length;
    await Promise.all([
      a.until(() => a.received.length === all),
      b.until(() => b.received.length === all),
    ]);
    expect(b.received.every((text, n) => text === `alice: ${bodies[n] ?? ""}`))
      .to.be.true;
    expect(a.received.every((text, n) => text === `bob: ${bodies[n] ?? ""}`)).to
      .be.true;
    expect(a.peer("bob")).to.deep.equal({
      isConnected: true,
      isHeard: true,
      queued: 0,
      queuedBytes: 0,
      lost: {},
      outEnded: a.peer("bob").outEnded,
      inEnded: {},
    });
  });

  it("talk to each other and to themselves, all three", async () => {
    const names = ["alice", "bob", "carol"];
    const all = await Promise.all(
      names.map(async (name) => await nodes.start(name)),
    );
    for (let n = 0; n < 200; n++)
      for (const { transport } of all)
        for (const name of names) transport.send(nodeName(name), String(n));
    for (const node of all) {
      await node.until(() => node.received.length === 600);
      for (const name of names)
        expect(
          node.received.filter((text) => text.startsWith(`${name}:`)),
        ).to.deep.equal(Array.from({ length: 200 }, (_, n) => `${name}: ${n}`));
      expect(node.transport.dropped()).to.deep.equal({});
    }
  });

  it("never hand over anything while something is sent", async () => {
    const a = await nodes.start("alice");
    a.transport.send(alice, "note");
    expect(a.received).to.deep.equal([]);
    await a.until(() => a.received.length === 1);
    expect(a.received).to.deep.equal(["alice: note"]);
  });

  it("keep what is for a peer that is not there yet", async () => {
    const a = await nodes.start("alice");
    for (let n = 0; n < 10; n++) a.transport.send(bob, String(n));
    await a.told({ type: "not-connected", peer: "bob", reason: "unreachable" });
    // A greeting. The rest is sealed when bob has answered it.
    expect(a.peer("bob")).to.include({ isConnected: false, queued: 1 });
    const b = await nodes.start("bob");
    await b.until(() => b.received.length === 10);
    expect(b.received.at(-1)).to.equal("alice: 9");
  });

  it("go on with a peer that starts again at the same port", async () => {
    const a = await nodes.start("alice");
    const first = await nodes.start("bob");
    a.transport.send(bob, "one");
    await first.until(() => first.received.length === 1);
    await first.stop();
    await a.told({ type: "lost", peer: "bob", way: "out" });
    await a.told({ type: "lost", peer: "bob", way: "in" });
    expect(a.peer("bob")).to.include({ isConnected: false, isHeard: false });
    a.transport.send(bob, "for the session before");
    const second = await nodes.start("bob", { boot: 2 });
    expect(second.network.port).to.equal(first.network.port);
    second.transport.send(alice, "back");
    await a.until(() => a.received.length === 1);
    expect(a.received).to.deep.equal(["bob: back"]);
    a.transport.send(bob, "two");
    await second.until(() => second.received.length === 1);
    expect(second.received).to.deep.equal(["alice: two"]);
  });

  it("can stop, and connect again with the same sockets", async () => {
    const open = await nodes.open("alice");
    const b = await nodes.start("bob");
    const a = open();
    expect(() => open()).to.throw("connected already");
    expect(() => a.network.connect(bob, () => undefined)).to.throw("of alice");
    await b.told({ type: "connected", peer: "alice", way: "in" });
    await a.transport.stop();
    await b.told({ type: "lost", peer: "alice", way: "in" });
    // Bob dials again and again, but nobody is there.
    await a.told({ type: "refused", reason: "absent" });
    const again = open();
    b.transport.send(alice, "hello");
    await again.until(() => again.received.length === 1);
  });

  it("count what they cannot send", async () => {
    const addresses = new Map([...nodes.addresses()].slice(0, 2));
    const a = await nodes.start("alice", { addresses });
    a.transport.send(carol, "where are you?");
    expect(a.network.status().unaddressed).to.equal(1);
    await a.transport.stop();
    const carrier = a.network.connect(alice, () => undefined);
    carrier.carry(bob, new Uint8Array());
    carrier.carry(bob, new Uint8Array(5_000_000));
    carrier.carry(bob, new Uint8Array(1));
    // A greeting waited for bob when the node stopped.
    expect(a.peer("bob").lost).to.deep.equal({ unfit: 2, stopped: 1 });
    await carrier.stop();
    carrier.carry(bob, new Uint8Array(1));
    expect(a.peer("bob")).to.include({ queued: 0 });
    expect(a.peer("bob").lost).to.deep.equal({ unfit: 2, stopped: 2 });
  });

  it("find peers by the name of a machine", async () => {
    const b = await nodes.start("bob");
    const a = await nodes.start("alice", {
      addresses: new Map([
        [bob, [{ host: "localhost", port: b.network.port }]],
      ]),
    });
    a.transport.send(bob, "hello");
    await b.until(() => b.received.length === 1);
  });

  it("say where they cannot listen, and why", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const address = holder.address();
    if (address === null || typeof address === "string") throw new Error();
    const failure = async (listen: {
      readonly host: string;
      readonly port: number;
    }): Promise<ListenError> => {
      try {
        await nodes.open("alice", { listen });
      } catch (error) {
        if (error instanceof ListenError) return error;
        throw error;
      }
      throw new Error("It listens.");
    };
    const inUse = await failure({ host: "127.0.0.1", port: address.port });
    expect(inUse).to.have.property("code", "IN_USE");
    expect(inUse.message).to.include(`127.0.0.1:${address.port}`);
    const notHere = await failure({ host: "192.0.2.1", port: 0 });
    expect(notHere).to.have.property("code", "NOT_HERE");
    holder.close();
    await once(holder, "close");
  });

  it("want keys that tell nodes apart", async () => {
    const { registry } = nodes.members;
    const open = async (changes: object): Promise<unknown> => {
      try {
        return await nodes.open("alice", changes);
      } catch (error) {
        return error instanceof Error ? error.message : error;
      }
    };
    expect(await open({ identity: createIdentity() })).to.include(
      "not its own",
    );
    const shared = new Map(registry);
    shared.set(bob, registry.get(carol) ?? createIdentity().publicKey);
    expect(await open({ registry: shared })).to.include("same public key");
    const fewer = new Map(registry);
    fewer.delete(bob);
    expect(await open({ registry: fewer })).to.include("registered for bob");
  });

  it("leave no socket and no timer when they stop, whatever is under way", async () => {
    const sockets = (): readonly string[] =>
      process.getActiveResourcesInfo().filter((one) => one.startsWith("TCP"));
    // The machine lets go of closed ones a turn later.
    await new Promise((resolve) => setImmediate(resolve));
    const before = sockets().length;
    const timers = new FakeTimers();
    const opened = [
      await nodes.open("alice", { timers }),
      await nodes.open("bob", { timers }),
    ] as const;
    const [a, b] = [opened[0](), opened[1]()];
    expect(sockets().length).to.be.greaterThan(before);
    await b.told({ type: "connected", peer: "alice", way: "in" });
    a.transport.send(bob, "x".repeat(bodyBytesMax));
    a.transport.send(alice, "note");
    a.transport.send(carol, "nobody there");
    await Promise.all([a.stop(), b.stop()]);
    expect(timers.size).to.equal(0);
    await untilTurn(() => sockets().length <= before);
    await a.stop();
  });

  it("can stop before anybody is connected", async () => {
    const network = await openSocketNetwork(
      {
        ...nodes.members.member("alice"),
        addresses: new Map(),
        listen: { host: "127.0.0.1", port: 0 },
      },
      { timers: new FakeTimers() },
    );
    await network.stop();
    await network.stop();
  });
});
