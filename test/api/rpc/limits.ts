import { connect, type Socket } from "node:net";

import { expect } from "chai";
import { z } from "zod/v4";

import type { RpcLimits } from "../../../src/api/rpc/limits.ts";
import { method, type Method } from "../../../src/api/rpc/method.ts";
import { methods } from "../../../src/api/rpc/methods.ts";
import {
  call,
  failureOf,
  post,
  SocketClient,
} from "../../helpers/rpc/client.ts";
import { type FakeFixture, startFake } from "../../helpers/rpc/fixture.ts";

/** A line to the server on which anything can be written. */
async function rawConnection(url: string): Promise<{
  readonly socket: Socket;
  readonly everything: Promise<string>;
}> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => undefined);
  const everything = new Promise<string>((resolve) => {
    socket.on("close", () => {
      resolve(Buffer.concat(chunks).toString());
    });
  });
  await new Promise((resolve) => socket.once("connect", resolve));
  return { socket, everything };
}

const head = (length: number): string =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

const status = {
  jsonrpc: "2.0",
  id: 1,
  method: "sequencer_status",
  params: [],
};

describe("limits of the RPC", () => {
  let node: FakeFixture;
  const start = async (
    limits: Partial<RpcLimits>,
    more: readonly Method[] = [],
  ): Promise<void> => {
    node = await startFake({ rpc: { limits, methods: [...methods, ...more] } });
  };
  /** A method that answers when it is told to. */
  const waiting = (): {
    readonly release: () => void;
    readonly wait: Method;
  } => {
    let release = (): void => undefined;
    const promise = new Promise<null>((resolve) => {
      release = () => {
        resolve(null);
      };
    });
    return {
      release: () => {
        release();
      },
      wait: method({
        name: "test_wait",
        summary: "Waits",
        params: {},
        result: z.null(),
        run: async () => await promise,
      }),
    };
  };
  afterEach(async () => {
    await node.stop();
    expect(node.errors).to.deep.equal([]);
  });

  it("refuses a body that is too large, before it is read", async () => {
    await start({ bodyBytes: 1_000 });
    const { socket, everything } = await rawConnection(node.httpUrl);
    socket.write(head(2_000_000_000));
    expect(await everything).to.match(/^HTTP\/1\.1 413 /);
  });

  it("refuses a body that turns out to be too large", async () => {
    await start({ bodyBytes: 1_000 });
    const { socket, everything } = await rawConnection(node.httpUrl);
    socket.write(
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    socket.write(`3e9\r\n${" ".repeat(1_001)}\r\n`);
    expect(await everything).to.match(/^HTTP\/1\.1 413 /);
  });

  it("closes a socket whose message is too large", async () => {
    await start({ bodyBytes: 1_000 });
    const socket = await SocketClient.open(node.webSocketUrl);
    socket.sendText(" ".repeat(1_001));
    await socket.closed;
  });

  it("ends with clients that trickle headers or bodies", async () => {
    await start({ headersMs: 50, bodyMs: 100 });
    const headers = await rawConnection(node.httpUrl);
    headers.socket.write("POST / HTTP/1.1\r\nHost: loc");
    const body = await rawConnection(node.httpUrl);
    body.socket.write(`${head(100)}{`);
    const upgrade = await rawConnection(node.webSocketUrl);
    upgrade.socket.write("GET / HTTP/1.1\r\nUpgrade: webs");
    expect(await headers.everything).to.match(/^HTTP\/1\.1 408 /);
    await body.everything;
    expect(await upgrade.everything).to.match(/^HTTP\/1\.1 408 /);
  });

  it("refuses what is nested too deep, however long it is", async () => {
    await start({});
    for (const text of ["[".repeat(1_000_000), `${'{"a":'.repeat(40)}1`]) {
      const answer = await post(node.httpUrl, text);
      expect(answer).to.have.nested.property("error.code", -32700);
    }
    const quoted = JSON.stringify({ ...status, id: "[".repeat(100) + '\\"{' });
    expect(await post(node.httpUrl, quoted)).to.have.property("result");
  });

  it("refuses a batch that is empty or too long", async () => {
    await start({ batch: 3 });
    for (const batch of [[], Array.from({ length: 4 }, () => status)])
      expect(await post(node.httpUrl, batch)).to.have.nested.property(
        "error.code",
        -32600,
      );
    const fits = Array.from({ length: 3 }, () => status);
    expect(await post(node.httpUrl, fits)).to.have.length(3);
  });

  it("lets only so many requests of a connection wait", async () => {
    const { release, wait } = waiting();
    await start({ inFlight: 2 }, [wait]);
    const socket = await SocketClient.open(node.webSocketUrl);
    socket.send("test_wait");
    socket.send("test_wait");
    socket.send("sequencer_status");
    const answer = await socket.next();
    expect(answer).to.have.nested.property("error.code", -32603);
    expect(answer.error?.message).to.match(/^PD099004: /);
    // Others do not suffer.
    await call(node.httpUrl, "sequencer_status");
    release();
    await socket.next();
    await socket.next();
    await socket.call("sequencer_status");
    socket.cut();
  });

  it("answers when a method takes too long", async () => {
    const { release, wait } = waiting();
    await start({ requestMs: 20 }, [wait]);
    const failure = await failureOf(call(node.httpUrl, "test_wait"));
    expect(failure.message).to.match(/^PD099005: /);
    release();
  });

  it("lets only so many connect", async () => {
    await start({ connections: 2 });
    const first = await SocketClient.open(node.webSocketUrl);
    const second = await SocketClient.open(node.webSocketUrl);
    const third = await SocketClient.open(node.webSocketUrl).then(
      () => "open",
      () => "refused",
    );
    expect(third).to.equal("refused");
    await first.close();
    await second.close();
  });

  it("lets a socket subscribe only so often", async () => {
    await start({ subscriptions: 2 });
    await call(node.httpUrl, "ptx_createReceiptListener", { name: "all" });
    const socket = await SocketClient.open(node.webSocketUrl);
    const subscribe = async (): Promise<string> =>
      await socket.call<string>("ptx_subscribe", "receipts", "all");
    const subscription = await subscribe();
    await subscribe();
    const failure = await failureOf(subscribe());
    expect(failure.message).to.match(/^PD099004: /);
    await socket.call("ptx_unsubscribe", subscription);
    await subscribe();
    socket.cut();
  });

  it("cuts off who does not answer pings", async () => {
    await start({ pingMs: 20 });
    const { socket, everything } = await rawConnection(node.webSocketUrl);
    socket.write(
      "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    );
    expect(await everything).to.match(/^HTTP\/1\.1 101 /);
  });

  it("tells nothing about its own faults", async () => {
    const fault = method({
      name: "test_fault",
      summary: "Fails",
      params: {},
      result: z.null(),
      run: () => {
        throw new Error("secret");
      },
    });
    await start({}, [fault]);
    const failure = await failureOf(call(node.httpUrl, "test_fault"));
    expect(failure.code).to.equal(-32603);
    expect(failure.message).to.match(/^PD099000: Internal error/);
    expect(node.errors.map(String)).to.deep.equal(["Error: secret"]);
    (node.errors as unknown[]).length = 0;
  });
});
