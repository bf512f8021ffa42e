import type { TLSSocket } from "node:tls";

import { expect } from "chai";

import type { Timers } from "../../../src/async/timers.ts";
import { createSeal } from "../../../src/network/envelope.ts";
import { emptyFrame, frameHeader } from "../../../src/network/socket/frames.ts";
import { socketLimits } from "../../../src/network/socket/limits.ts";
import { FakeTimers } from "../../helpers/fake-timers.ts";
import { collectGarbage } from "../../helpers/garbage.ts";
import { sessionOf } from "../../helpers/members.ts";
import {
  dialByHand,
  listenByHand,
  type SocketNode,
  SocketNodes,
  untilTurn,
} from "../../helpers/socket-nodes.ts";
import { nodeName } from "../../helpers/stores.ts";

const bob = nodeName("bob");

function bufferedBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

describe("a peer that is slow", () => {
  let nodes = new SocketNodes();
  beforeEach(() => {
    nodes = new SocketNodes("alice", "bob");
  });
  afterEach(async () => {
    await nodes.stop();
  });

  /** Says that it listens, and reads nothing after that. */
  const freeze = (socket: TLSSocket): void => {
    socket.once("data", () => {
      socket.pause();
      socket.write(emptyFrame);
    });
  };

  /** Lets a node hear bob, so that it can write to his session. */
  const greet = async (node: SocketNode): Promise<void> => {
    const socket = await dialByHand(
      node.network.port,
      nodes.members.member("bob").identity,
    );
    const seal = createSeal(nodes.members.own("bob"));
    const to = { name: nodeName("alice"), session: sessionOf("alice") };
    const wire = seal(to, "hello");
    socket.write(Buffer.concat([frameHeader(wire.length), wire]));
    await node.until(() => node.received.length === 1);
    socket.destroy();
  };

  it("has a bounded queue that loses the oldest, and is given up", async () => {
    const frozen = await listenByHand(
      nodes.members.member("bob").identity,
      freeze,
    );
    nodes.redirect("bob", frozen.port);
    const timers = new FakeTimers();
    const queuedBytes = 4_000_000;
    const a = await nodes.start("alice", {
      timers,
      limits: { queued: 100, queuedBytes },
    });
    await a.told({ type: "connected", peer: "bob", way: "out" });
    await greet(a);
    const before = bufferedBytes();
    const body = "x".repeat(100_000);
    for (let n = 0; n < 1_500; n++) {
      a.transport.send(bob, `${n} ${body}`);
      if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const { queued, queuedBytes: bytes, lost } = a.peer("bob");
    expect(queued).to.be.within(30, 40);
    expect(bytes).to.be.at.most(queuedBytes);
    expect(lost.full).to.be.greaterThan(1_000);
    // 150 MB were sent. What waits and what the machine holds is far less.
    expect(bufferedBytes() - before).to.be.lessThan(80_000_000);

    timers.advance(socketLimits.pingMs);
    timers.advance(socketLimits.pongMs);
    await a.told({ type: "lost", peer: "bob", way: "out", reason: "silent" });
    await untilTurn(() => (a.peer("bob").lost.cut ?? 0) > 0);
    expect(a.peer("bob")).to.include({ isConnected: false, queued });
    await frozen.stop();

    const b = await nodes.start("bob", {
      listen: { host: "127.0.0.1", port: 0 },
    });
    timers.advance(socketLimits.pauseMs.last);
    await b.until(() => b.received.length >= queued);
    expect(b.received.map((text) => text.split(" ")[1])).to.deep.equal(
      Array.from({ length: queued }, (_, n) => String(1_500 - queued + n)),
    );
  });

  it("is pinged as long as it answers", async () => {
    let pings = 0;
    const listener = await listenByHand(
      nodes.members.member("bob").identity,
      (socket) => {
        socket.on("data", (chunk: Buffer) => {
          // A greeting comes too.
          if (!chunk.equals(emptyFrame)) return;
          pings += 1;
          socket.write(emptyFrame);
        });
      },
    );
    nodes.redirect("bob", listener.port);
    const a = await nodes.start("alice", { limits: { pingMs: 1 } });
    await untilTurn(() => pings >= 5);
    expect(a.peer("bob")).to.include({ isConnected: true });
    expect(a.peer("bob").outEnded).to.deep.equal({});
    await a.stop();
    await listener.stop();
  });

  it("is given up if it never says that it listens", async () => {
    const timers = new FakeTimers();
    let met = 0;
    const listener = await listenByHand(
      nodes.members.member("bob").identity,
      (socket) => {
        socket.once("data", () => (met += 1));
      },
    );
    nodes.redirect("bob", listener.port);
    const a = await nodes.start("alice", { timers });
    await untilTurn(() => met === 1);
    timers.advance(socketLimits.handshakeMs);
    await a.told({ type: "not-connected", peer: "bob", reason: "timeout" });
    await a.stop();
    expect(timers.size).to.equal(0);
    await listener.stop();
  });
});

describe("a peer that is not there", () => {
  it("is dialled after pauses that grow up to a bound", async () => {
    const nodes = new SocketNodes("alice", "bob");
    const fake = new FakeTimers();
    const asked: number[] = [];
    const timers: Timers = {
      now: fake.now,
      after: (ms, run) => {
        if (ms !== socketLimits.handshakeMs) asked.push(ms);
        return fake.after(ms, run);
      },
    };
    const a = await nodes.start("alice", { timers });
    for (let n = 1; n <= 9; n++) {
      await untilTurn(() => a.peer("bob").outEnded.unreachable === n);
      fake.advance(socketLimits.pauseMs.last);
    }
    const full = [50, 100, 200, 400, 500, 500, 500, 500, 500];
    for (const [n, ms] of full.entries())
      expect(asked[n], String(n)).to.be.within(ms / 2, ms);
    expect(a.facts).to.deep.equal([
      { type: "not-connected", peer: "bob", reason: "unreachable" },
    ]);
    await nodes.stop();
    expect(fake.size).to.equal(0);
  });
});
