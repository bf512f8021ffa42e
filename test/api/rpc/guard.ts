import { request } from "node:http";

import { expect } from "chai";

import { createApi } from "../../../src/api/rpc/api.ts";
import { RpcServer, type RpcOptions } from "../../../src/api/rpc/server.ts";
import { call, SocketClient } from "../../helpers/rpc/client.ts";
import { type FakeFixture, startFake } from "../../helpers/rpc/fixture.ts";

const token = "a token that nobody would guess";
const body = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "sequencer_status",
  params: [],
});

interface Reply {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Sends exactly these headers, as fetch would not. */
async function ask(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  { method = "POST", path = "/", text = body } = {},
): Promise<Reply> {
  return await new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(path, url),
      {
        method,
        headers: { "content-type": "application/json", ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          resolve({
            status: response.statusCode,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}

/** The status with which a socket is refused; 101 if it is not. */
async function socketStatus(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  try {
    const socket = await SocketClient.open(url, headers);
    await socket.close();
    return 101;
  } catch (error) {
    return Number(/\d{3}/.exec(String(error))?.[0]);
  }
}

describe("who may talk to the RPC", () => {
  let node: FakeFixture;
  const start = async (rpc: Partial<RpcOptions>): Promise<void> => {
    node = await startFake({ rpc });
  };
  const both = async (
    headers: Readonly<Record<string, string>>,
  ): Promise<readonly (number | undefined)[]> => [
    (await ask(node.httpUrl, headers)).status,
    await socketStatus(node.webSocketUrl, headers),
  ];
  afterEach(async () => {
    await node.stop();
  });

  it("checks the name that it is called by", async () => {
    await start({ allowedHosts: ["node.example"] });
    for (const host of ["localhost:1", "127.0.0.1", "[::1]:5", "NODE.example"])
      expect(await both({ host }), host).to.deep.equal([200, 101]);
    for (const host of [
      "evil.example",
      "127.0.0.1.evil.example",
      "x@localhost",
    ])
      expect(await both({ host }), host).to.deep.equal([403, 403]);
  });

  it("does not take the address of all interfaces for its name", async () => {
    await start({ host: "0.0.0.0", token, allowedHosts: ["node.example"] });
    const authorization = `Bearer ${token}`;
    for (const host of ["0.0.0.0", "0.0.0.0:8550", "[::]"])
      expect(await both({ host, authorization }), host).to.deep.equal([
        403, 403,
      ]);
    expect(await both({ host: "node.example", authorization })).to.deep.equal([
      200, 101,
    ]);
  });

  it("refuses pages that are not allowed", async () => {
    const allowed = "https://wallet.example";
    await start({ allowedOrigins: [allowed] });
    expect(await both({ origin: allowed })).to.deep.equal([200, 101]);
    for (const origin of ["null", "http://wallet.example", "http://localhost"])
      expect(await both({ origin }), origin).to.deep.equal([403, 403]);
    const preflight = await ask(
      node.httpUrl,
      { origin: allowed },
      { method: "OPTIONS" },
    );
    expect(preflight.status).to.equal(204);
    expect(preflight.headers["access-control-allow-origin"]).to.equal(allowed);
  });

  it("asks for the token everywhere, if there is one", async () => {
    await start({ token });
    const good = { authorization: `Bearer ${token}` };
    expect(await both(good)).to.deep.equal([200, 101]);
    expect(await both({ ...good, host: "any.example" })).to.deep.equal([
      200, 101,
    ]);
    const wrong = [
      "",
      "Bearer",
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token}x`,
      `Basic ${token}`,
      token,
      "Bearer ".padEnd(5_000, "x"),
    ];
    for (const authorization of wrong)
      expect(await both({ authorization }), authorization).to.deep.equal([
        401, 401,
      ]);
    const bare = await ask(node.httpUrl);
    expect(bare.status).to.equal(401);
    expect(bare.text).to.equal("");
  });

  it("does not listen elsewhere without a token, or with one that is too short", async () => {
    await start({});
    const make = (options: Partial<RpcOptions>) => () =>
      new RpcServer({ httpPort: 0, webSocketPort: 0, ...options }, { report });
    expect(make({ host: "0.0.0.0" })).to.throw(/without a token/);
    expect(make({ host: "127.evil.example" })).to.throw(/without a token/);
    expect(make({ token: "short" })).to.throw(/at least 16/);
    expect(make({ host: "0.0.0.0", token })).to.not.throw();
  });

  it("takes nothing but JSON that is posted to the root", async () => {
    await start({});
    const status = async (
      headers: Readonly<Record<string, string>>,
      options?: { readonly method?: string; readonly path?: string },
    ): Promise<number | undefined> =>
      (await ask(node.httpUrl, headers, options)).status;
    expect(await status({}, { method: "GET" })).to.equal(405);
    expect(await status({}, { method: "DELETE" })).to.equal(405);
    expect(await status({}, { path: "/admin" })).to.equal(404);
    expect(await status({ "content-type": "text/plain" })).to.equal(415);
    const json = { "content-type": "application/json; charset=utf-8" };
    expect(await status(json)).to.equal(200);
    const page = await ask(node.webSocketUrl.replace("ws", "http"));
    expect(page.status).to.equal(426);
  });

  it("listens on both ports or on none", async () => {
    await start({});
    const port = Number(new URL(node.httpUrl).port);
    const api = createApi({ service: node.node, book: node.book, report });
    const other = new RpcServer(
      { httpPort: 0, webSocketPort: port },
      { report },
    );
    other.serve(api);
    const failed = await other.start().then(
      () => "started",
      (error: unknown) => String(error),
    );
    expect(failed).to.match(/EADDRINUSE/);
    await other.stop();
    await call(node.httpUrl, "sequencer_status");
  });
});

function report(error: unknown): void {
  throw error;
}
