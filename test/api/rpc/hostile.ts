import { expect } from "chai";
import hre from "hardhat";

import { openChainClient } from "../../../src/chain/client/open.ts";
import { collectGarbage } from "../../helpers/garbage.ts";
import { call, post, SocketClient } from "../../helpers/rpc/client.ts";
import { type FakeFixture, startFake } from "../../helpers/rpc/fixture.ts";
import { hostileText } from "../../helpers/rpc/fuzz.ts";
import { randomFrom } from "../../helpers/random.ts";

/** What the heap may grow by over thousands of requests: the fake node remembers what it did, the server nothing. */
const growthMax = 32 * 1024 * 1024;

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Runs thousands of requests in rounds; compares the heap after the first rounds with that at the end. */
async function rounds(
  node: FakeFixture,
  round: () => Promise<void>,
): Promise<void> {
  let heap = 0;
  for (let number = 0; number < 100; number++) {
    if (number === 20) heap = heapUsed();
    await round();
    await node.settle();
  }
  expect(heapUsed() - heap).to.be.lessThan(growthMax);
}

describe("hostile requests to the RPC", function () {
  this.timeout(120_000);
  let node: FakeFixture;
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => {
    unhandled.push(error);
  };
  beforeEach(async () => {
    const { provider } = await hre.network.create();
    node = await startFake({ chain: openChainClient(provider) });
    process.on("unhandledRejection", note);
  });
  afterEach(async () => {
    await call(node.httpUrl, "sequencer_status");
    await node.stop();
    process.off("unhandledRejection", note);
    expect(unhandled).to.deep.equal([]);
    expect(node.errors).to.deep.equal([]);
  });

  it("all have an answer over HTTP, and leave nothing behind (seed 1)", async () => {
    const random = randomFrom(1);
    await rounds(node, async () => {
      const texts = Array.from({ length: 50 }, () =>
        hostileText(random, node.group),
      );
      await Promise.all(
        texts.map(async (text) => {
          const answer = await post(node.httpUrl, text);
          for (const one of Array.isArray(answer) ? answer : [answer])
            expect(one, text).to.satisfy(isAnswer);
        }),
      );
    });
  });

  it("all have an answer over WebSocket, and leave nothing behind (seed 2)", async () => {
    const random = randomFrom(2);
    let socket = await SocketClient.open(node.webSocketUrl);
    let last = 0;
    await rounds(node, async () => {
      for (let count = 0; count < 50; count++)
        socket.sendText(hostileText(random, node.group));
      const id = `last ${last++}`;
      const params: readonly unknown[] = [];
      socket.sendText(
        JSON.stringify({
          jsonrpc: "2.0",
          id,
          method: "sequencer_status",
          params,
        }),
      );
      while ((await socket.next()).id !== id);
      if (!random.chance(0.2)) return;
      socket.cut();
      socket = await SocketClient.open(node.webSocketUrl);
    });
    socket.cut();
  });
});

function isAnswer(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const isResult = "result" in value;
  return "id" in value && isResult !== "error" in value;
}
