import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";

import { expect } from "chai";
import { z } from "zod/v4";

import { createApi } from "../../../src/api/rpc/api.ts";
import type { Unavailable } from "../../../src/api/rpc/gate.ts";
import { method, type Method } from "../../../src/api/rpc/method.ts";
import { methods, standingMethods } from "../../../src/api/rpc/methods.ts";
import { RpcServer } from "../../../src/api/rpc/server.ts";
import { openMachineDisk } from "../../../src/store/disk.ts";
import { call, SocketClient } from "../../helpers/rpc/client.ts";
import {
  type FakeFixture,
  type FixtureOptions,
  startFake,
} from "../../helpers/rpc/fixture.ts";
import { toyAbi } from "../../helpers/rpc/toy-domain.ts";

const passive: Unavailable = {
  why: "alice/r2 is passive; r1 is active",
  activeUrl: "http://10.0.0.7:8550",
};
const refusal = {
  code: -32_002,
  message: "PD099020: alice/r2 is passive; r1 is active",
  data: "http://10.0.0.7:8550",
};
const late = {
  ...refusal,
  message: `${refusal.message}. The request may have been carried out`,
};
const token = "a token that nobody would guess";

interface Reply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: unknown;
}

async function ask(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    body: text === "" ? undefined : JSON.parse(text),
  };
}

const request = (name: string, id = 1, ...params: readonly unknown[]) => ({
  jsonrpc: "2.0",
  id,
  method: name,
  params,
});
const refused = (id: unknown, error = refusal): Reply => ({
  status: 503,
  retryAfter: "1",
  body: { jsonrpc: "2.0", id, error },
});

/** The headers with which an upgrade is answered. */
async function upgrade(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries({
    host: "localhost",
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": randomBytes(16).toString("base64"),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET / HTTP/1.1\r\n${lines.join("")}\r\n`);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return chunk.toString();
}

/** A method that a test lets begin and end. */
class Step {
  readonly method: Method;
  readonly begun: Promise<void>;
  runs = 0;
  end: () => void = () => undefined;

  constructor(name: string, { isSilent = false } = {}) {
    let begin: () => void = () => undefined;
    this.begun = new Promise((resolve) => {
      begin = resolve;
    });
    const ended = new Promise<void>((resolve) => {
      this.end = resolve;
    });
    this.method = method({
      name,
      summary: "Waits until the test goes on",
      params: {},
      result: z.string(),
      isSilent,
      run: async () => {
        this.runs += 1;
        begin();
        await ended;
        return "a result";
      },
    });
  }
}

describe("a server whose node comes and goes", function () {
  this.timeout(30_000);
  let node: FakeFixture;
  let unavailable: Unavailable | undefined;
  const sockets: SocketClient[] = [];
  const start = async (
    { rpc, ...options }: FixtureOptions = {},
    ...steps: readonly Step[]
  ): Promise<void> => {
    node = await startFake({
      ...options,
      rpc: {
        ...rpc,
        methods: [...methods, ...steps.map((step) => step.method)],
      },
      unavailable: () => unavailable,
    });
  };
  const open = async (): Promise<SocketClient> => {
    const socket = await SocketClient.open(node.webSocketUrl);
    sockets.push(socket);
    return socket;
  };
  const status = async (): Promise<Reply> =>
    await ask(node.httpUrl, request("sequencer_status"));
  beforeEach(() => {
    unavailable = undefined;
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.cut();
    await node.stop();
    expect(node.errors).to.deep.equal([]);
  });

  it("listens before there is an API, and after it", async () => {
    await start();
    const server = new RpcServer(
      { httpPort: 0, webSocketPort: 0 },
      { report: (error) => expect.fail(String(error)) },
    );
    const { httpUrl, webSocketUrl } = await server.start();
    const early = await ask(httpUrl, request("sequencer_status"));
    expect(early).to.deep.equal(
      refused(1, {
        code: -32_002,
        message: "PD099020: The node has not started yet",
      } as typeof refusal),
    );
    server.serve(
      createApi({
        service: node.node,
        book: node.book,
        report: (error) => expect.fail(String(error)),
      }),
    );
    await call(httpUrl, "sequencer_status");
    server.pause(passive);
    expect(await ask(httpUrl, request("sequencer_status"))).to.deep.equal(
      refused(1),
    );
    expect(await upgrade(webSocketUrl)).to.match(
      /^HTTP\/1\.1 503 Service Unavailable\r\n[^]*Retry-After: 1\r\n/,
    );
    await server.stop();
  });

  it("can be served and paused any number of times, with the reason of the last pause", async () => {
    await start();
    expect(() => {
      node.server.serve(node.newApi());
    }).to.throw("Pause first");
    for (const name of ["r1", "r3", "r4"]) {
      node.server.pause(passive);
      const why = `alice/r2 is passive; ${name} is active`;
      node.server.pause({ why });
      expect((await status()).body).to.deep.equal({
        jsonrpc: "2.0",
        id: 1,
        error: { code: -32_002, message: `PD099020: ${why}` },
      });
      node.server.serve(node.newApi());
      expect((await status()).status).to.equal(200);
      const socket = await open();
      await socket.call("sequencer_status");
    }
  });

  it("refuses strangers as ever, also while it is passive", async () => {
    await start({ rpc: { token, allowedHosts: ["node.example"] } });
    node.server.pause(passive);
    const authorization = `Bearer ${token}`;
    const asked = async (
      headers: Readonly<Record<string, string>>,
    ): Promise<readonly (number | string | undefined)[]> => [
      (await ask(node.httpUrl, request("sequencer_status"), headers)).status,
      /^HTTP\/1\.1 (\d+)/.exec(await upgrade(node.webSocketUrl, headers))?.[1],
    ];
    expect(await asked({})).to.deep.equal([401, "401"]);
    expect(
      await asked({ authorization, origin: "https://evil.example" }),
    ).to.deep.equal([403, "403"]);
    expect(await asked({ authorization })).to.deep.equal([503, "503"]);
    const headers = { authorization };
    const { status: get } = await fetch(node.httpUrl, { headers });
    expect(get).to.equal(405);
    const tooLarge = await ask(
      node.httpUrl,
      " ".repeat(1_048_577),
      headers,
    ).catch(() => ({ status: 413 }));
    expect(tooLarge.status).to.equal(413);
  });

  it("answers a few methods at any time", async () => {
    const step = new Step("test_standing");
    step.end();
    await start({ rpc: { standing: [...standingMethods, step.method] } });
    node.server.pause(passive);
    for (const name of ["rpc.discover", "test_standing"]) {
      const { status, body } = await ask(node.httpUrl, request(name));
      expect(status, name).to.equal(200);
      expect(body, name).to.have.property("result");
    }
    const both = [request("rpc.discover", 1), request("test_standing", 2)];
    expect((await ask(node.httpUrl, both)).status).to.equal(200);
    node.server.serve(node.newApi());
    expect((await ask(node.httpUrl, both)).status).to.equal(200);
  });

  it("refuses each request of a batch for itself", async () => {
    const step = new Step("test_standing");
    step.end();
    await start({ rpc: { standing: [step.method] } });
    node.server.pause(passive);
    const batch = [
      request("sequencer_status", 1),
      request("test_standing", 2),
      request("no_such_method", 3),
      7,
    ];
    expect(await ask(node.httpUrl, batch)).to.deep.equal({
      status: 503,
      retryAfter: "1",
      body: [
        { jsonrpc: "2.0", id: 1, error: refusal },
        { jsonrpc: "2.0", id: 2, result: "a result" },
        { jsonrpc: "2.0", id: 3, error: refusal },
        { jsonrpc: "2.0", id: null, error: refusal },
      ],
    });
  });

  it("refuses whatever is no request", async () => {
    await start();
    node.server.pause(passive);
    const tooMany = Array.from({ length: 101 }, () => request("rpc.discover"));
    for (const text of ["", "{", "[]", "null", "[".repeat(99), tooMany])
      expect(await ask(node.httpUrl, text)).to.deep.equal(refused(null));
  });

  it("gives up what is under way when the role goes, and tells no result", async () => {
    const step = new Step("test_wait");
    await start({}, step);
    const asked = ask(node.httpUrl, request("test_wait"));
    await step.begun;
    node.server.pause(passive);
    expect(await asked).to.deep.equal(refused(1, late));
    step.end();
    node.server.serve(node.newApi());
    expect((await status()).status).to.equal(200);
  });

  it("tells no result of an earlier time, even if it is active again", async () => {
    const steps = [new Step("test_first"), new Step("test_second")] as const;
    await start({}, ...steps);
    const asked = ask(node.httpUrl, [
      request("test_first", 1),
      request("test_second", 2),
    ]);
    await Promise.all(steps.map(({ begun }) => begun));
    // The first has its answer already, which waits for the second.
    steps[0].end();
    await status();
    node.server.pause(passive);
    node.server.serve(node.newApi());
    const { status: code, body } = await asked;
    expect(code).to.equal(503);
    const messages = (body as { error: { message: string } }[]).map(
      ({ error }) => error.message,
    );
    expect(messages[0]).to.equal(
      "PD099020: The node has started again. The request may have been carried out",
    );
    expect(messages[1]).to.equal(late.message);
  });

  it("does not wait for a disk that does not answer", async () => {
    let isHanging = false;
    const waiting: ((error: Error | null) => void)[] = [];
    await start({
      openDisk: (file) => {
        const disk = openMachineDisk(file);
        return {
          ...disk,
          flush: (done) => {
            if (isHanging) waiting.push(done);
            else disk.flush(done);
          },
        };
      },
    });
    isHanging = true;
    const asked = ask(
      node.httpUrl,
      request("ptx_createReceiptListener", 1, { name: "all" }),
    );
    while (waiting.length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    node.server.pause(passive);
    expect(await asked).to.deep.equal(refused(1, late));
    isHanging = false;
    for (const done of waiting.splice(0)) done(null);
  });

  it("asks whether it may answer before it begins, and again before the answer leaves", async () => {
    const step = new Step("test_wait");
    await start({}, step);
    unavailable = passive;
    expect(await ask(node.httpUrl, request("test_wait"))).to.deep.equal(
      refused(1),
    );
    expect(await upgrade(node.webSocketUrl)).to.match(/^HTTP\/1\.1 503 /);
    expect(step.runs).to.equal(0);
    unavailable = undefined;
    const asked = ask(node.httpUrl, request("test_wait"));
    await step.begun;
    unavailable = passive;
    step.end();
    expect(await asked).to.deep.equal(refused(1, late));
    expect(step.runs).to.equal(1);
    // A lease that is renewed is enough.
    unavailable = undefined;
    expect((await status()).status).to.equal(200);
  });

  it("closes WebSockets, those with requests under way after their answers", async () => {
    const [first, second] = [new Step("test_first"), new Step("test_second")];
    await start({}, first, second);
    const [idle, busy] = [await open(), await open()];
    await idle.call("sequencer_status");
    busy.send("test_first");
    busy.send("test_second");
    await Promise.all([first.begun, second.begun]);
    node.server.pause(passive);
    expect(await busy.next()).to.deep.include({ id: 1, error: late });
    expect(await busy.next()).to.deep.include({ id: 2, error: late });
    await Promise.all([idle.closed, busy.closed]);
    expect([idle.closeCode, busy.closeCode]).to.deep.equal([1012, 1012]);
    expect(idle.unread).to.equal(0);
    first.end();
    second.end();
  });

  it("closes a WebSocket on which something comes while it may not answer", async () => {
    const silent = new Step("test_silent", { isSilent: true });
    await start({}, silent);
    const [one, other] = [await open(), await open()];
    unavailable = passive;
    one.send("sequencer_status");
    expect(await one.next()).to.deep.include({ id: 1, error: refusal });
    other.send("test_silent");
    await Promise.all([one.closed, other.closed]);
    expect([one.closeCode, other.closeCode]).to.deep.equal([1012, 1012]);
    expect(silent.runs).to.equal(0);
    expect(other.unread).to.equal(0);
  });

  it("tells listeners nothing while it may not answer, and everything afterwards", async () => {
    await start();
    await call(node.httpUrl, "ptx_createReceiptListener", { name: "all" });
    const first = await open();
    const subscription = await first.call("ptx_subscribe", "receipts", "all");
    expect(subscription).to.be.a("string");
    const id = await call<string>(node.httpUrl, "ptx_sendTransaction", {
      type: "private",
      from: "alice",
      to: node.group,
      abi: toyAbi,
      function: "mint",
      data: ["alice", 1],
    });
    unavailable = passive;
    await node.settle();
    await first.closed;
    expect(first.closeCode).to.equal(1012);
    expect(first.unread).to.equal(0);
    node.server.pause(passive);
    unavailable = undefined;
    node.server.serve(node.newApi());
    const second = await open();
    await second.call("ptx_subscribe", "receipts", "all");
    const { params } = await second.notification();
    expect(params.result.receipts).to.have.length(1);
    expect(params.result.receipts[0]).to.include({ id, sequence: 1 });
  });

  it("does not wait for clients that do not close", async () => {
    await start({ rpc: { limits: { closeMs: 20 } } });
    const { hostname, port } = new URL(node.webSocketUrl);
    const key = randomBytes(16).toString("base64");
    const socket = connect(Number(port), hostname);
    const closed = once(socket, "close");
    socket.write(
      `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
    const accept = createHash("sha1")
      .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    const [chunk] = (await once(socket, "data")) as [Buffer];
    expect(chunk.toString()).to.include(accept);
    socket.on("error", () => undefined);
    socket.resume();
    node.server.pause(passive);
    await closed;
  });
});
