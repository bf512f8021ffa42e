import { once } from "node:events";
import { createServer } from "node:net";
import type { TLSSocket } from "node:tls";

import { expect } from "chai";

import type { Timers } from "../../../src/async/timers.ts";
import { createIdentity } from "../../../src/keys/identity.ts";
import type { PeerAddress } from "../../../src/network/socket/address.ts";
import { envelopeBytesMax } from "../../../src/network/envelope-bytes.ts";
import { emptyFrame, FrameReader } from "../../../src/network/socket/frames.ts";
import { socketLimits } from "../../../src/network/socket/limits.ts";
import type { SocketFact } from "../../../src/network/socket/facts.ts";
import { FakeTimers } from "../../helpers/fake-timers.ts";
import {
  dialByHand,
  listenByHand,
  type SocketNode,
  SocketNodes,
  untilTurn,
} from "../../helpers/socket-nodes.ts";
import { nodeName } from "../../helpers/stores.ts";

const alice = nodeName("alice");
const bob = nodeName("bob");
const host = "127.0.0.1";
const anyPort = { host, port: 0 };

describe("a peer with several addresses", function () {
  this.timeout(30_000);
  let nodes = new SocketNodes();
  /** Of alice. They do not advance unless a test says so: what happens needs no pause. */
  let timers = new FakeTimers();
  const stops: (() => Promise<void>)[] = [];
  beforeEach(() => {
    nodes = new SocketNodes("alice", "bob");
    timers = new FakeTimers();
  });
  afterEach(async () => {
    await nodes.stop();
    for (const stop of stops.splice(0)) await stop();
    expect(timers.size).to.equal(0);
  });

  const identity = () => nodes.members.member("bob").identity;

  /** Opens a replica of bob: it listens, and is passive until it is started. */
  const replica = async (
    boot: number,
  ): Promise<{ at: PeerAddress; activate: () => SocketNode }> => {
    const start = await nodes.open("bob", { listen: anyPort, boot });
    let node: SocketNode | undefined;
    const activate = (): SocketNode => (node ??= start());
    return { at: { host, port: nodes.portOf("bob") }, activate };
  };

  /** Listens with a key, by default that of bob, and does what a test wants. */
  const byHand = async (
    onSocket: (socket: TLSSocket) => void,
    key = identity(),
  ): Promise<PeerAddress> => {
    const { port, stop } = await listenByHand(key, onSocket);
    stops.push(stop);
    return { host, port };
  };

  /** Takes connections and never says anything. */
  const frozenFromTheStart = async (): Promise<PeerAddress> => {
    const server = createServer().listen(0, host);
    const sockets: { destroy: () => void }[] = [];
    server.on("connection", (socket) => sockets.push(socket));
    await once(server, "listening");
    stops.push(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error();
    return { host, port: address.port };
  };

  /** An address at which nobody listens. */
  const dead = async (): Promise<PeerAddress> => {
    const server = createServer().listen(0, host);
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error();
    server.close();
    await once(server, "close");
    return { host, port: address.port };
  };

  const startAlice = async (
    addresses: readonly PeerAddress[],
    own: Timers = timers,
  ): Promise<SocketNode> =>
    await nodes.start("alice", {
      timers: own,
      addresses: new Map([[bob, addresses]]),
    });

  const shown = ({ port }: PeerAddress): string => `${host}:${port}`;

  const connections = (node: SocketNode): readonly SocketFact[] =>
    node.facts.filter(
      (fact) => fact.type === "connected" && fact.way === "out",
    );

  const refusals = (node: SocketNode): readonly SocketFact[] =>
    node.facts.filter(({ type }) => type === "not-connected");

  it("is reached at once where its active replica is", async () => {
    const replicas = [await replica(1), await replica(2), await replica(3)];
    const at = [await dead(), ...replicas.map((one) => one.at)];
    const active = replicas[2]?.activate();
    const a = await startAlice(at);
    a.transport.send(bob, "hello");
    await active?.until(() => active.received.length === 1);
    expect(active?.received).to.deep.equal(["alice: hello"]);
    expect(connections(a)).to.deep.equal([
      {
        type: "connected",
        peer: "bob",
        way: "out",
        address: at[3] && shown(at[3]),
      },
    ]);
    // Passive replicas and stopped machines are no news while another address answers.
    expect(refusals(a)).to.deep.equal([]);
    expect(a.peer("bob").outEnded).to.deep.equal({
      unreachable: 1,
      "no-handshake": 2,
    });
  });

  it("is followed when the role moves, without a pause", async () => {
    const [r1, r2] = [await replica(1), await replica(2)];
    const first = r1.activate();
    const a = await startAlice([r1.at, r2.at]);
    a.transport.send(bob, "one");
    await first.until(() => first.received.length === 1);
    await first.transport.stop();
    // Both are passive now.
    await a.told({ type: "not-connected", address: shown(r2.at) });
    const second = r2.activate();
    second.transport.send(alice, "I took over");
    await a.until(() => a.received.length === 1);
    a.transport.send(bob, "two");
    await second.until(() => second.received.length === 1);
    expect(second.received).to.deep.equal(["alice: two"]);
  });

  /** Answers the first ping, and reads nothing after that. */
  const freeze = (socket: TLSSocket): void => {
    socket.once("data", () => {
      socket.pause();
      socket.write(emptyFrame);
    });
  };

  it("is left after a second if it froze and another replica is heard", async () => {
    const frozen = await byHand(freeze);
    const { at, activate } = await replica(2);
    const a = await startAlice([frozen, at]);
    await a.told({ type: "connected", way: "out", address: shown(frozen) });
    const second = activate();
    await a.told({ type: "connected", way: "in" });
    timers.advance(socketLimits.probeMs - 1);
    expect(a.peer("bob")).to.include({ isConnected: true });
    timers.advance(1);
    await a.told({ type: "lost", way: "out", reason: "silent" });
    a.transport.send(bob, "are you there?");
    await second.until(() => second.received.length === 1);
    expect(connections(a)).to.have.length(2);
  });

  it("is left after a second also if its pong was due already", async () => {
    const frozen = await byHand(freeze);
    const { at, activate } = await replica(2);
    const a = await startAlice([frozen, at]);
    await a.told({ type: "connected", way: "out", address: shown(frozen) });
    // The usual ping goes out; its pong may take 8 seconds.
    timers.advance(socketLimits.pingMs + 500);
    const second = activate();
    await a.told({ type: "connected", way: "in" });
    timers.advance(socketLimits.probeMs);
    await a.told({ type: "lost", way: "out", reason: "silent" });
    a.transport.send(bob, "are you there?");
    await second.until(() => second.received.length === 1);
  });

  it("is left after a second if it takes connections and says nothing", async () => {
    const frozen = await frozenFromTheStart();
    const { at, activate } = await replica(2);
    const a = await startAlice([frozen, at]);
    const second = activate();
    await a.told({ type: "connected", way: "in" });
    timers.advance(socketLimits.probeMs);
    a.transport.send(bob, "hello");
    await second.until(() => second.received.length === 1);
    expect(a.peer("bob").outEnded).to.deep.equal({ timeout: 1 });
  });

  it("is left after the usual time if nobody says that another is active", async () => {
    const frozen = await frozenFromTheStart();
    const { at, activate } = await replica(2);
    const a = await startAlice([frozen, at]);
    timers.advance(socketLimits.handshakeMs - 1);
    expect(a.peer("bob").outEnded).to.deep.equal({});
    timers.advance(1);
    expect(a.peer("bob").outEnded).to.deep.equal({ timeout: 1 });
    activate();
    await a.told({ type: "connected", way: "out", address: shown(at) });
  });

  it("keeps a connection on which it answers, however often it comes", async () => {
    let pings = 0;
    const live = await byHand((socket) => {
      onPing(socket, () => {
        pings += 1;
        socket.write(emptyFrame);
      });
    });
    let pongs = 0;
    const a = await startAlice([live, await dead()], {
      now: timers.now,
      after: (ms, run) => {
        // The next ping is planned when a pong has come.
        if (ms === socketLimits.pingMs) pongs += 1;
        return timers.after(ms, run);
      },
    });
    await a.told({ type: "connected", way: "out", address: shown(live) });
    for (let n = 1; n <= 5; n++) {
      const socket = await dialByHand(a.network.port, identity());
      await untilTurn(() => pongs === 1 + n);
      expect(pings).to.equal(1 + n);
      socket.destroy();
    }
    timers.advance(socketLimits.probeMs);
    expect(a.peer("bob")).to.include({ isConnected: true });
    expect(a.peer("bob").outEnded).to.deep.equal({});
  });

  /** Answers so many pings. Ends the connections when it is told to. */
  const answering = async (
    pongs: number,
  ): Promise<{ at: PeerAddress; hangUp: () => void }> => {
    const open = new Set<TLSSocket>();
    const at = await byHand((socket) => {
      open.add(socket);
      let left = pongs;
      onPing(socket, () => {
        if (left-- > 0) socket.write(emptyFrame);
      });
    });
    return {
      at,
      hangUp: () => {
        for (const socket of open) socket.destroy();
      },
    };
  };

  /** The timers of alice, and for how long she has waited for what. */
  const watched = (): { own: Timers; asked: number[] } => {
    const asked: number[] = [];
    const after: Timers["after"] = (ms, run) => {
      asked.push(ms);
      return timers.after(ms, run);
    };
    return { own: { now: timers.now, after }, asked };
  };
  const pongsIn = (asked: readonly number[]): number =>
    asked.filter((ms) => ms === socketLimits.pingMs).length;

  it("has the usual time again after it has answered such a ping", async () => {
    const { at } = await answering(2);
    const { own, asked } = watched();
    const a = await startAlice([at, await dead()], own);
    await a.told({ type: "connected", way: "out" });
    const socket = await dialByHand(a.network.port, identity());
    await untilTurn(() => pongsIn(asked) === 2);
    timers.advance(socketLimits.pingMs);
    timers.advance(socketLimits.pongMs - 1);
    expect(a.peer("bob")).to.include({ isConnected: true });
    timers.advance(1);
    await a.told({ type: "lost", way: "out", reason: "silent" });
    socket.destroy();
  });

  it("is dialled at its other addresses at once when a connection ends that lasted", async () => {
    let isActive = false;
    const other = await byHand((socket) => {
      if (!isActive) socket.destroy();
      socket.once("data", () => socket.write(emptyFrame));
    });
    const { at, hangUp } = await answering(2);
    const { own, asked } = watched();
    const a = await startAlice([other, at], own);
    await a.told({ type: "connected", way: "out", address: shown(at) });
    timers.advance(socketLimits.pingMs);
    await untilTurn(() => pongsIn(asked) === 2);
    isActive = true;
    hangUp();
    await a.told({ type: "connected", way: "out", address: shown(other) });
  });

  it("is dialled after a pause when a connection ends that only answered out of turn", async () => {
    const { at, hangUp } = await answering(2);
    const { own, asked } = watched();
    const a = await startAlice([await dead(), at], own);
    await a.told({ type: "connected", way: "out", address: shown(at) });
    const socket = await dialByHand(a.network.port, identity());
    await untilTurn(() => pongsIn(asked) === 2);
    hangUp();
    await a.told({ type: "lost", way: "out" });
    expect(asked.at(-1)).to.be.at.most(socketLimits.pauseMs.first);
    socket.destroy();
  });

  it("is not pinged out of turn if it has one address only", async () => {
    let pings = 0;
    const frozen = await byHand((socket) => {
      onPing(socket, () => {
        pings += 1;
        if (pings === 1) socket.write(emptyFrame);
      });
    });
    const a = await startAlice([frozen]);
    await a.told({ type: "connected", way: "out" });
    const socket = await dialByHand(a.network.port, identity());
    await a.told({ type: "connected", way: "in" });
    timers.advance(socketLimits.pingMs);
    await untilTurn(() => pings === 2);
    timers.advance(socketLimits.pongMs - 1);
    expect(a.peer("bob")).to.include({ isConnected: true });
    timers.advance(1);
    await a.told({ type: "lost", way: "out", reason: "silent" });
    expect(pings).to.equal(2);
    socket.destroy();
  });

  it("is dialled in rounds with pauses between them if no address answers", async () => {
    const at = [await dead(), await dead(), await dead()];
    const asked: number[] = [];
    const spying: Timers = {
      now: timers.now,
      after: (ms, run) => {
        if (ms !== socketLimits.handshakeMs) asked.push(ms);
        return timers.after(ms, run);
      },
    };
    const a = await startAlice(at, spying);
    for (let round = 1; round <= 5; round++) {
      await untilTurn(() => asked.length === round);
      expect(a.peer("bob").outEnded).to.deep.equal({ unreachable: 3 * round });
      timers.advance(socketLimits.pauseMs.last);
    }
    for (const [n, ms] of [50, 100, 200, 400, 500].entries())
      expect(asked[n], String(n)).to.be.within(ms / 2, ms);
    // Each address once, however often it is tried.
    expect(refusals(a)).to.deep.equal(
      at.map((address) => ({
        type: "not-connected",
        peer: "bob",
        reason: "unreachable",
        address: shown(address),
      })),
    );
  });

  it("is told nothing at an address where a stranger listens", async () => {
    const heard: Buffer[] = [];
    const stranger = await byHand((socket) => {
      socket.on("data", (chunk: Buffer) => heard.push(chunk));
      // An answer that would open the connection, if it were bob's.
      socket.once("secure", () => socket.write(emptyFrame));
    }, createIdentity());
    const { at, activate } = await replica(1);
    const node = activate();
    const a = await startAlice([await dead(), stranger, at]);
    a.transport.send(bob, "a secret");
    await node.until(() => node.received.length === 1);
    expect(heard).to.deep.equal([]);
    // A wrong key is reported although another address has the right one.
    expect(refusals(a)).to.deep.include({
      type: "not-connected",
      peer: "bob",
      reason: "wrong-key",
      address: shown(stranger),
    });
  });

  it("is not dialled without a pause if all addresses let in and hang up", async () => {
    let met = 0;
    const fickle = async (): Promise<PeerAddress> =>
      await byHand((socket) => {
        met += 1;
        socket.once("data", () => {
          socket.end(emptyFrame);
        });
      });
    const a = await startAlice([await fickle(), await fickle()]);
    for (let round = 1; round <= 4; round++) {
      await untilTurn(() => (a.peer("bob").outEnded.closed ?? 0) === 2 * round);
      expect(met).to.equal(2 * round);
      timers.advance(socketLimits.pauseMs.last);
    }
  });

  it("leaves nothing behind when the node stops in the middle of a round", async () => {
    const before = process.getActiveResourcesInfo().filter(isSocket).length;
    const frozen = await frozenFromTheStart();
    const a = await startAlice([await dead(), frozen, await dead()]);
    await untilTurn(() => a.peer("bob").outEnded.unreachable === 1);
    await a.stop();
    expect(timers.size).to.equal(0);
    for (const stop of stops.splice(0)) await stop();
    await untilTurn(
      () => process.getActiveResourcesInfo().filter(isSocket).length <= before,
    );
  });
});

/** Calls back for every ping; whatever else comes is not looked at. */
function onPing(socket: TLSSocket, call: () => void): void {
  const reader = new FrameReader({ bytesMax: envelopeBytesMax });
  socket.on("data", (chunk: Buffer) => {
    for (const frame of reader.read(chunk)) if (frame.length === 0) call();
  });
}

const isSocket = (resource: string): boolean => resource.startsWith("TCP");
