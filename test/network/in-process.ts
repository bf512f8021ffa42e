import { expect } from "chai";

import { Hub } from "../../src/network/in-process.ts";
import type { SealedTransport } from "../../src/network/sealed-transport.ts";
import { Random } from "../../src/simulation/random.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";
import { Members } from "../helpers/members.ts";
import { nodeName } from "../helpers/stores.ts";

const members = new Members("alice", "bob", "carol");
const alice = nodeName("alice");
const bob = nodeName("bob");
const carol = nodeName("carol");
const there = { from: alice, to: bob };

/** A hub in which a test decides what time it is. */
class Network {
  readonly timers = new FakeTimers();
  readonly hub: Hub;
  readonly received: string[] = [];

  constructor(
    options: { readonly queueMax?: number; readonly seed?: number } = {},
  ) {
    const draw = new Random(options.seed ?? 1, "hub");
    this.hub = new Hub(
      { queueMax: options.queueMax ?? 100 },
      { timers: this.timers, draw },
    );
  }

  /** A node that has greeted those who are there, and was greeted back. */
  join(name: string, boot = 1): SealedTransport {
    const transport = this.hub.join(
      members.member(name, { boot }),
      (from, body) => {
        this.received.push(`${from} → ${name}: ${body}`);
      },
    );
    this.timers.advance(0);
    return transport;
  }

  /** What arrived since the last time. */
  take(): readonly string[] {
    return this.received.splice(0);
  }
}

function sendMany(
  transport: SealedTransport,
  count: number,
): readonly string[] {
  return Array.from({ length: count }, (_, n) => {
    transport.send(bob, String(n));
    return `alice → bob: ${n}`;
  });
}

describe("a hub", () => {
  it("delivers in order, but never while something is sent", () => {
    const network = new Network();
    const transport = network.join("alice");
    network.join("bob");
    const sent = sendMany(transport, 5);
    expect(network.take()).to.deep.equal([]);
    network.timers.advance(0);
    expect(network.take()).to.deep.equal(sent);
    expect(network.timers.size).to.equal(0);
  });

  it("delivers an answer later than the question, and what a node tells itself", () => {
    const { hub, timers } = new Network();
    const log: string[] = [];
    const transport = hub.join(members.member("alice"), (from, body) => {
      log.push(`${from}: ${body}`);
    });
    const other = hub.join(members.member("bob"), (from) => {
      other.send(from, "pong");
      log.push("answered");
    });
    transport.send(bob, "ping");
    transport.send(alice, "note");
    timers.advance(0);
    expect(log).to.have.members(["answered", "bob: pong", "alice: note"]);
    expect(log.indexOf("answered")).to.be.lessThan(log.indexOf("bob: pong"));
  });

  it("carries nothing over a cut link, in one direction", () => {
    const network = new Network();
    const a = network.join("alice");
    const b = network.join("bob");
    a.send(bob, "on its way");
    network.hub.cut(there);
    a.send(bob, "lost");
    b.send(alice, "arrives");
    network.timers.advance(0);
    expect(network.take()).to.deep.equal(["bob → alice: arrives"]);
    expect(network.hub.lost().cut).to.equal(2);
    network.hub.restore(there);
    a.send(bob, "again");
    network.timers.advance(0);
    expect(network.take()).to.deep.equal(["alice → bob: again"]);
  });

  it("delays, and lets some overtake others", () => {
    const network = new Network();
    const transport = network.join("alice");
    network.join("bob");
    network.hub.disturb(there, { delayMs: { min: 10, max: 50 } });
    const sent = sendMany(transport, 30);
    network.timers.advance(9);
    expect(network.take()).to.deep.equal([]);
    network.timers.advance(41);
    const received = network.take();
    expect(received).to.have.members(sent);
    expect(received).to.not.deep.equal(sent);
  });

  it("drops some, the same ones for the same seed", () => {
    const run = (seed: number): readonly string[] => {
      const network = new Network({ seed });
      const transport = network.join("alice");
      network.join("bob");
      network.hub.disturb(there, { drop: 0.5 });
      sendMany(transport, 100);
      network.timers.advance(0);
      expect(network.received.length + network.hub.lost().dropped).to.equal(
        100,
      );
      return network.take();
    };
    expect(run(1)).to.have.length.within(30, 70);
    expect(run(1)).to.deep.equal(run(1));
    expect(run(1)).to.not.deep.equal(run(2));
  });

  it("doubles some, which the receiver takes once", () => {
    const network = new Network();
    const transport = network.join("alice");
    const receiver = network.join("bob");
    network.hub.disturb(there, { duplicate: 1 });
    const sent = sendMany(transport, 10);
    network.timers.advance(0);
    expect(network.take()).to.deep.equal(sent);
    expect(receiver.dropped()).to.deep.equal({ replayed: 10 });
  });

  it("loses the oldest when a link is full", () => {
    for (const delay of [0, 5]) {
      const network = new Network({ queueMax: 3 });
      const transport = network.join("alice");
      network.join("bob");
      network.hub.disturb(there, { delayMs: { min: delay, max: delay } });
      const sent = sendMany(transport, 5);
      expect(network.hub.size).to.equal(3);
      network.timers.advance(delay);
      expect(network.take()).to.deep.equal(sent.slice(2));
      expect(network.hub.lost().full).to.equal(2);
      expect(network.hub.size).to.equal(0);
    }
  });

  it("heals", () => {
    const network = new Network();
    const transport = network.join("alice");
    network.join("bob");
    network.hub.disturb(there, { drop: 1 });
    network.hub.cut({ from: alice, to: carol });
    network.hub.heal();
    transport.send(bob, "hello");
    network.timers.advance(0);
    expect(network.take()).to.deep.equal(["alice → bob: hello"]);
  });

  it("counts what is for nobody, and what is too large", () => {
    const network = new Network();
    const transport = network.join("alice");
    // It greeted both others.
    expect(network.hub.lost().absent).to.equal(2);
    transport.send(carol, "x".repeat(5_000_000));
    expect(transport.dropped()).to.deep.equal({ "too-large-to-send": 1 });
    expect(network.hub.size).to.equal(0);
  });

  it("delivers what was sent before the receiver was there, when it comes", () => {
    const network = new Network();
    const transport = network.join("alice");
    const sent = sendMany(transport, 3);
    network.join("bob");
    expect(network.take()).to.deep.equal(sent);
    for (let n = 0; n < 9; n++) transport.send(carol, "x".repeat(524_288));
    expect(transport.dropped()).to.deep.equal({ unheard: 1 });
  });

  it("reaches a node again that has started anew while a greeting was lost", async () => {
    const network = new Network();
    const transport = network.join("alice");
    const receiver = network.join("bob");
    await receiver.stop();
    const back = { from: bob, to: alice };
    network.hub.cut(back);
    const restarted = network.join("bob", 2);
    network.hub.restore(back);
    transport.send(bob, "for the session before");
    network.timers.advance(0);
    expect(network.take()).to.deep.equal([]);
    expect(restarted.dropped()).to.deep.equal({ misaddressed: 1 });
    transport.send(bob, "for this one");
    network.timers.advance(0);
    expect(network.take()).to.deep.equal(["alice → bob: for this one"]);
  });

  it("lets a node come back, in a later boot", async () => {
    const network = new Network();
    const first = network.join("alice");
    network.join("bob");
    first.send(bob, "first");
    network.timers.advance(0);
    expect(() => network.join("alice")).to.throw("connected already");
    await first.stop();
    const second = network.join("alice", 2);
    first.send(bob, "from the grave");
    second.send(bob, "second");
    network.timers.advance(0);
    expect(network.take()).to.deep.equal([
      "alice → bob: first",
      "alice → bob: second",
    ]);
    await first.stop();
    second.send(bob, "third");
    network.timers.advance(0);
    expect(network.take()).to.deep.equal(["alice → bob: third"]);
  });

  it("leaves no timers when a node or everybody stops", async () => {
    const network = new Network();
    const transport = network.join("alice");
    const receiver = network.join("bob");
    network.hub.disturb(there, { delayMs: { min: 5, max: 9 } });
    sendMany(transport, 3);
    receiver.send(alice, "hello");
    await receiver.stop();
    expect(network.timers.size).to.equal(0);
    transport.send(carol, "hello");
    network.hub.stop();
    expect(network.timers.size).to.equal(0);
    expect(network.hub.size).to.equal(0);
    network.timers.advance(100);
    expect(network.take()).to.deep.equal([]);
  });

  it("drops what is not sealed by the node that it claims to come from", () => {
    const network = new Network();
    const receiver = network.join("bob");
    const intruder = network.hub.connect(nodeName("mallory"), () => undefined);
    intruder.carry(bob, Buffer.from("I am alice"));
    network.timers.advance(0);
    expect(network.take()).to.deep.equal([]);
    expect(receiver.dropped()).to.deep.equal({ malformed: 1 });
  });

  it("delivers with the timers of the process too", async () => {
    const hub = new Hub();
    const transport = hub.join(members.member("alice"), () => undefined);
    let isSending = true;
    const arrived = new Promise<string>((resolve) => {
      hub.join(members.member("bob"), (from, body) => {
        resolve(`${from}: ${body} ${isSending ? "too soon" : "later"}`);
      });
    });
    hub.disturb(there, { delayMs: { min: 1, max: 1 } });
    transport.send(bob, "hello");
    isSending = false;
    expect(await arrived).to.equal("alice: hello later");
    hub.stop();
  });
});
