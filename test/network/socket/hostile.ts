import { expect } from "chai";
import { connect } from "node:tls";

import { createIdentity } from "../../../src/keys/identity.ts";
import { createSeal } from "../../../src/network/envelope.ts";
import { envelopeBytesMax } from "../../../src/network/envelope-bytes.ts";
import { emptyFrame, frameHeader } from "../../../src/network/socket/frames.ts";
import { socketLimits } from "../../../src/network/socket/limits.ts";
import { FakeTimers } from "../../helpers/fake-timers.ts";
import { sessionOf } from "../../helpers/members.ts";
import {
  closed,
  dialByHand,
  dialPlainly,
  listenByHand,
  SocketNodes,
  untilTurn,
} from "../../helpers/socket-nodes.ts";
import { nodeName } from "../../helpers/stores.ts";

const alice = nodeName("alice");
const bob = nodeName("bob");

const framed = (wire: Uint8Array): Buffer =>
  Buffer.concat([frameHeader(wire.length), wire]);

describe("sockets and strangers", () => {
  let nodes = new SocketNodes();
  beforeEach(() => {
    nodes = new SocketNodes("alice", "bob", "carol");
  });
  afterEach(async () => {
    await nodes.stop();
  });

  const identityOf = (name: string) => nodes.members.member(name).identity;

  /** A frame with an envelope from alice to bob, genuine unless somebody else signs it. */
  function letter(body: string, { signer = "alice", boot = 1 } = {}): Buffer {
    const own = nodes.members.own("alice", { boot });
    const seal = createSeal({ ...own, identity: identityOf(signer) });
    return framed(seal({ name: bob, session: sessionOf("bob") }, body));
  }

  it("tell nothing to a listener with another key", async () => {
    const heard: Buffer[] = [];
    const mallory = await listenByHand(createIdentity(), (socket) => {
      socket.on("data", (chunk: Buffer) => heard.push(chunk));
      // An answer that would open the connection, if it were bob's.
      socket.once("secure", () => socket.write(emptyFrame));
    });
    nodes.redirect("bob", mallory.port);
    const a = await nodes.start("alice");
    a.transport.send(bob, "a secret");
    await a.told({ type: "not-connected", peer: "bob", reason: "wrong-key" });
    // Told once, however often it is tried.
    await untilTurn(() => (a.peer("bob").outEnded["wrong-key"] ?? 0) >= 3);
    expect(
      a.facts.filter(
        (fact) => fact.type === "not-connected" && fact.peer === "bob",
      ),
    ).to.have.length(1);
    expect(heard).to.deep.equal([]);
    expect(a.peer("bob")).to.include({ isConnected: false, queued: 1 });
    await mallory.stop();
  });

  it("tell nothing to a peer that takes the place of another", async () => {
    const carol = await nodes.start("carol");
    nodes.redirect("bob", carol.network.port);
    const a = await nodes.start("alice");
    a.transport.send(bob, "for bob only");
    await a.told({ type: "not-connected", peer: "bob", reason: "wrong-key" });
    expect(carol.transport.dropped()).to.deep.equal({});
  });

  it("hear nothing from a dialler without a registered key, whatever name it claims", async () => {
    const b = await nodes.start("bob");
    const mallory = await dialByHand(b.network.port, createIdentity());
    mallory.write(letter("stolen, but genuine"));
    await b.told({ type: "refused", reason: "unknown-key" });
    await closed(mallory);
    // Not even from somebody with their own key.
    const self = await dialByHand(b.network.port, identityOf("bob"));
    await closed(self);
    expect(b.network.status().refused).to.deep.equal({ "unknown-key": 2 });
    expect(b.received).to.deep.equal([]);
    expect(b.transport.dropped()).to.deep.equal({});
  });

  it("hear nothing from a dialler without a certificate", async () => {
    const b = await nodes.start("bob");
    const nobody = await dialByHand(b.network.port);
    nobody.write(letter("hello"));
    await b.told({ type: "refused", reason: "no-certificate" });
    await closed(nobody);
    expect(b.received).to.deep.equal([]);
  });

  it("tell a node that it is refused", async () => {
    // Bob has another idea of alice's key.
    const registry = new Map(nodes.members.registry);
    registry.set(alice, createIdentity().publicKey);
    await nodes.start("bob", { registry });
    const a = await nodes.start("alice");
    a.transport.send(bob, "hello");
    await a.told({ type: "not-connected", peer: "bob", reason: "refused" });
    // Nothing goes out before the peer has said that it listens.
    expect(a.peer("bob")).to.include({ queued: 1 });
    expect(a.peer("bob").lost).to.deep.equal({});
  });

  it("refuse what is no TLS, or an old one", async () => {
    const b = await nodes.start("bob");
    const { port } = b.network;
    for (const text of [
      "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "\0".repeat(1_000),
      "\x16\x03\x01\x40\x00" + "garbage ".repeat(3_000),
    ]) {
      const socket = await dialPlainly(port);
      socket.write(text, "latin1");
      await closed(socket);
    }
    (await dialPlainly(port)).end();
    const old = connect({
      port,
      host: "127.0.0.1",
      maxVersion: "TLSv1.2",
      rejectUnauthorized: false,
    });
    old.on("error", () => undefined);
    await closed(old);
    await b.until(() => b.network.status().refused["no-handshake"] === 5);
    expect(b.network.status().refused).to.deep.equal({ "no-handshake": 5 });
  });

  it("wait only so long for a handshake", async () => {
    const timers = new FakeTimers();
    const b = await nodes.start("bob", { timers, addresses: new Map() });
    const silent = await dialPlainly(b.network.port);
    const slow = await dialPlainly(b.network.port);
    await untilTurn(() => timers.size === 2);
    // The beginning of a handshake gains no time.
    slow.write("\x16\x03\x01", "latin1");
    timers.advance(socketLimits.handshakeMs);
    await Promise.all([closed(silent), closed(slow)]);
    expect(b.network.status().refused).to.deep.equal({ timeout: 2 });
    expect(timers.size).to.equal(0);
  });

  it("let peers in while strangers throng", async () => {
    const b = await nodes.start("bob", { limits: { unknown: 4 } });
    const strangers = await Promise.all(
      Array.from(
        { length: 100 },
        async () => await dialPlainly(b.network.port),
      ),
    );
    await b.until(() => b.network.status().refused.crowded === 96);
    const a = await nodes.start("alice");
    a.transport.send(bob, "let me through");
    await b.until(() => b.received.length === 1);
    for (const stranger of strangers) stranger.destroy();
  });

  describe("and peers that misbehave", () => {
    it("close a connection on which a frame is too large", async () => {
      const b = await nodes.start("bob");
      const socket = await dialByHand(b.network.port, identityOf("alice"));
      socket.write(letter("fine"));
      socket.write(frameHeader(envelopeBytesMax + 1));
      await b.told({ type: "lost", peer: "alice", reason: "oversized" });
      await closed(socket);
      expect(b.received).to.deep.equal(["alice: fine"]);
      expect(b.peer("alice").inEnded).to.deep.equal({ oversized: 1 });
    });

    it("close a connection on which a frame does not come to its end", async () => {
      const timers = new FakeTimers();
      const b = await nodes.start("bob", { timers, addresses: new Map() });
      const socket = await dialByHand(b.network.port, identityOf("alice"));
      const text = letter("a long story");
      // One chunk, of which only the end is missing.
      socket.write(Buffer.concat([letter("fine"), text.subarray(0, -1)]));
      await b.until(() => b.received.length === 1);
      timers.advance(socketLimits.frameMs - 1);
      expect(b.peer("alice")).to.include({ isHeard: true });
      timers.advance(1);
      await b.told({ type: "lost", peer: "alice", reason: "slow" });
      await closed(socket);
      expect(timers.size).to.equal(0);
    });

    it("close a connection on which nothing comes", async () => {
      const timers = new FakeTimers();
      const b = await nodes.start("bob", { timers, addresses: new Map() });
      const socket = await dialByHand(b.network.port, identityOf("alice"));
      await b.told({ type: "connected", peer: "alice", way: "in" });
      timers.advance(socketLimits.silenceMs);
      await b.told({ type: "lost", peer: "alice", reason: "silent" });
      await closed(socket);
    });

    it("hear a peer on one connection only, the newest", async () => {
      const b = await nodes.start("bob");
      const first = await dialByHand(b.network.port, identityOf("alice"));
      await b.told({ type: "connected", peer: "alice", way: "in" });
      const second = await dialByHand(b.network.port, identityOf("alice"));
      await closed(first);
      second.write(letter("from the second"));
      await b.until(() => b.received.length === 1);
      expect(b.peer("alice").inEnded).to.deep.equal({ replaced: 1 });
      expect(b.peer("alice")).to.include({ isHeard: true });
      second.destroy();
    });

    it("take an envelope once, on whatever connection it comes", async () => {
      const b = await nodes.start("bob");
      const wire = letter("pay");
      const first = await dialByHand(b.network.port, identityOf("alice"));
      first.write(Buffer.concat([wire, wire, letter("next", { boot: 2 })]));
      await b.until(() => b.received.length === 2);
      expect(b.transport.dropped()).to.deep.equal({ replayed: 1 });
      const second = await dialByHand(b.network.port, identityOf("alice"));
      second.write(Buffer.concat([wire, letter("last", { boot: 3 })]));
      await b.until(() => b.received.length === 3);
      expect(b.received).to.deep.equal([
        "alice: pay",
        "alice: next",
        "alice: last",
      ]);
      expect(b.transport.dropped()).to.deep.equal({ replayed: 2 });
      second.destroy();
    });

    it("take what a peer passes on, but not what it forges", async () => {
      const b = await nodes.start("bob");
      const carol = await dialByHand(b.network.port, identityOf("carol"));
      carol.write(
        Buffer.concat([
          letter("forged", { signer: "carol", boot: 9 }),
          letter("genuine"),
        ]),
      );
      await b.until(() => b.received.length === 1);
      expect(b.received).to.deep.equal(["alice: genuine"]);
      expect(b.transport.dropped()).to.deep.equal({ forged: 1 });
      carol.destroy();
    });

    it("stand a flood of pings whose pongs nobody reads", async () => {
      const b = await nodes.start("bob");
      const socket = await dialByHand(b.network.port, identityOf("alice"));
      socket.write(Buffer.alloc(4 * 300_000));
      socket.write(letter("after the flood"));
      await b.until(() => b.received.length === 1);
      socket.destroy();
      await b.told({ type: "lost", peer: "alice", way: "in" });
    });

    it("take nothing but pongs from a peer that they dialled", async () => {
      for (const answer of [
        letter("not this way"),
        Buffer.concat([emptyFrame, emptyFrame]),
      ]) {
        const listener = await listenByHand(identityOf("bob"), (socket) => {
          socket.once("data", () => socket.write(answer));
        });
        nodes.redirect("bob", listener.port);
        const a = await nodes.start("alice");
        await a.until(() => a.peer("bob").outEnded.unasked === 1);
        expect(a.received).to.deep.equal([]);
        await a.stop();
        await listener.stop();
      }
    });
  });
});
