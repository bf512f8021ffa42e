import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { expect } from "chai";
import { type WebSocket, WebSocketServer } from "ws";

import { openChainClient } from "../../src/chain/client/open.ts";
import type { Eip1193Provider } from "../../src/chain/client/provider.ts";
import { retryAfterOf } from "../../src/chain/client/rate-limit.ts";
import { ChainError } from "../../src/chain/ports.ts";
import { FakeTimers } from "../helpers/fake-timers.ts";

const GOOD = '{"jsonrpc":"2.0","id":1,"result":"0x1"}';

async function errorOf(request: Promise<unknown>): Promise<ChainError> {
  try {
    await request;
  } catch (error) {
    if (error instanceof ChainError) return error;
    throw error;
  }
  throw new Error("The request did not fail.");
}

/** Lets everything happen that needs no time. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++)
    await new Promise((resolve) => setImmediate(resolve));
}

/** A provider that answers with what it is given, one after the other; with nothing when nothing is left. */
function aProvider(...answers: readonly (string | Error)[]): {
  readonly provider: Eip1193Provider;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const left = [...answers];
  const request: Eip1193Provider["request"] = async ({ method }) => {
    asked.push(method);
    const answer = left.shift();
    if (answer === undefined) return await new Promise(() => undefined);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { provider: { request }, asked };
}

function refusal(code: number, message: string): Error {
  return Object.assign(new Error(message), { code });
}

describe("runtime: limits of the chain client", function () {
  this.timeout(60_000);

  describe("over HTTP", () => {
    let server: Server;
    let url: string;
    let answer: (response: ServerResponse) => void;
    let requests: { readonly headers: NodeJS.Dict<string | string[]> }[];
    before(async () => {
      server = createServer((request, response) => {
        request.resume().on("end", () => {
          requests.push({ headers: request.headers });
          answer(response);
        });
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    beforeEach(() => {
      requests = [];
    });
    after(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    });

    it("refuses an answer that is too long", async () => {
      answer = (response) => response.end(`"${"x".repeat(10_000)}"`);
      const client = openChainClient(url, { answerBytesMax: 9_999 });
      const error = await errorOf(client.request("eth_getLogs", []));
      expect(error.kind).to.equal("unreachable");
      expect(error.message).to.match(/longer than 9999 bytes/);
      await client.close();
    });

    it("sends the headers of the configuration", async () => {
      answer = (response) => response.end(GOOD);
      const headers = { "x-api-key": "k" };
      const client = openChainClient(url, { headers });
      await client.request("eth_chainId", []);
      expect(requests[0]?.headers["x-api-key"]).to.equal("k");
      await client.close();
    });

    it("asks nothing while it was told to wait, and then goes on", async () => {
      const timers = new FakeTimers();
      answer = (response) => {
        response.setHeader("retry-after", "30");
        response.statusCode = 429;
        response.end("slow down");
      };
      const client = openChainClient(url, { timers });
      const first = errorOf(client.request("eth_chainId", []));
      while (requests.length === 0 || timers.size < 2) await settle();
      timers.advance(5_000);
      const error = await first;
      expect(error.kind).to.equal("unreachable");
      expect(error.message).to.match(/too many/);

      timers.advance(24_000);
      const second = client.request("eth_chainId", []);
      await settle();
      expect(requests).to.have.length(1);
      answer = (response) => response.end(GOOD);
      timers.advance(1_000);
      expect(await second).to.equal("0x1");
      expect(requests).to.have.length(2);
      await client.close();
    });

    it("counts every request that it sends", async () => {
      answer = (response) => response.end(GOOD);
      const methods: string[] = [];
      const onRequest = (method: string): void => void methods.push(method);
      const client = openChainClient(url, { onRequest });
      await client.request("eth_chainId", []);
      await client.request("eth_gasPrice", []);
      expect(methods).to.deep.equal(["eth_chainId", "eth_gasPrice"]);
      await client.close();
    });

    it("hears of blocks over the WebSocket next to it", async () => {
      answer = (response) => response.end(GOOD);
      const sockets = new WebSocketServer({ port: 0, host: "127.0.0.1" });
      await once(sockets, "listening");
      const subscribed = once(sockets, "connection").then(async (found) => {
        const [socket] = found as [WebSocket];
        const [body] = (await once(socket, "message")) as [Buffer];
        return { socket, body: String(body) };
      });
      const { port } = sockets.address() as AddressInfo;
      const client = openChainClient(url, {
        webSocketUrl: `ws://127.0.0.1:${port}`,
      });
      const { socket, body } = await subscribed;
      expect(body).to.include("newHeads");
      const heard = new Promise<void>((resolve) => {
        client.onHead(resolve);
      });
      socket.send('{"jsonrpc":"2.0","method":"eth_subscription","params":{}}');
      await heard;
      expect(await client.request("eth_chainId", [])).to.equal("0x1");
      await client.close();
      sockets.close();
      await once(sockets, "close");
    });
  });

  it("reads what Retry-After says, and no more than a minute of it", () => {
    const nowMs = Date.parse("2026-01-01T00:00:00Z");
    const read = (header?: string): number | undefined =>
      retryAfterOf(header, nowMs);
    expect(read("7")).to.equal(7_000);
    expect(read("86400")).to.equal(60_000);
    expect(read("Thu, 01 Jan 2026 00:00:09 GMT")).to.equal(9_000);
    expect(read("Thu, 01 Jan 2025 00:00:09 GMT")).to.equal(0);
    expect(read("soon")).to.equal(undefined);
    expect(read()).to.equal(undefined);
  });

  it("gives up a provider that does not answer", async () => {
    const timers = new FakeTimers();
    const { provider } = aProvider();
    const client = openChainClient(provider, { timers });
    const waiting = errorOf(client.request("eth_chainId", []));
    timers.advance(30_000);
    const error = await waiting;
    expect(error.kind).to.equal("unreachable");
    expect(error.message).to.match(/in time/);
  });

  it("leaves a provider that does not answer when it is closed", async () => {
    const { provider } = aProvider();
    const client = openChainClient(provider, { timers: new FakeTimers() });
    const waiting = errorOf(client.request("eth_chainId", []));
    await client.close();
    expect((await waiting).message).to.match(/closed/);
  });

  it("pauses longer and longer while the limit is exceeded", async () => {
    const timers = new FakeTimers();
    const limit = refusal(-32_005, "daily request count exceeded");
    const { provider, asked } = aProvider(limit, limit, "0x1", limit, "0x2");
    const client = openChainClient(provider, { timers });
    const first = client.request("eth_chainId", []);
    await settle();
    timers.advance(499);
    await settle();
    expect(asked).to.have.length(1);
    timers.advance(1);
    await settle();
    expect(asked).to.have.length(2);
    timers.advance(999);
    await settle();
    expect(asked).to.have.length(2);
    timers.advance(1);
    expect(await first).to.equal("0x1");
    // After an answer, pauses are short again.
    const second = client.request("eth_chainId", []);
    await settle();
    timers.advance(500);
    expect(await second).to.equal("0x2");
  });

  it("takes too many results for a refusal, so that fewer blocks are asked for", async () => {
    const limit = refusal(-32_005, "query returned more than 10000 results");
    const client = openChainClient(aProvider(limit).provider, {
      timers: new FakeTimers(),
    });
    const error = await errorOf(client.request("eth_getLogs", []));
    expect(error.kind).to.equal("refused");
    expect(error.code).to.equal(-32_005);
  });
});
