import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { text } from "node:stream/consumers";

import { expect } from "chai";

import { methods } from "../../src/api/rpc/methods.ts";
import { HttpRpcServer } from "../../src/api/rpc/http-rpc-server.ts";
import type { ElectionView } from "../../src/supervisor/election-view.ts";
import { createForwarded, forwarded } from "../../src/supervisor/forward.ts";

const userToken = "a token of users, not to be shown";

describe("Reads that a supervisor forwards", () => {
  let replica: Server;
  let server: HttpRpcServer;
  let url: string;
  let view: ElectionView;
  /** What the active replica heard. */
  let heard: { readonly method: string; readonly token: string | undefined }[];
  let answer: { readonly status: number; readonly body: unknown };

  beforeEach(async () => {
    heard = [];
    answer = { status: 200, body: { jsonrpc: "2.0", id: 1, result: "read" } };
    replica = createServer((request, response) => {
      void text(request).then((body) => {
        const { method } = JSON.parse(body) as { readonly method: string };
        heard.push({ method, token: request.headers.authorization });
        response.statusCode = answer.status;
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(answer.body));
      });
    }).listen(0, "127.0.0.1");
    await once(replica, "listening");
    const address = replica.address();
    const port = typeof address === "object" && address ? address.port : 0;
    view = viewOf(`http://127.0.0.1:${port}`);
    server = new HttpRpcServer(
      {
        host: "127.0.0.1",
        port: 0,
        token: userToken,
        methods: createForwarded(
          { token: userToken, waitMs: 5_000 },
          { read: async () => await Promise.resolve(view) },
        ),
      },
      { report: () => undefined },
    );
    url = await server.start();
  });
  afterEach(async () => {
    await server.stop();
    replica.close();
    replica.closeAllConnections();
  });

  function viewOf(rpc: string): ElectionView {
    return {
      epoch: 1,
      head: { sequence: 1, hash: "a".repeat(64) },
      isStopped: false,
      isElectionOn: true,
      master: "r1",
      isLocked: true,
      tenureMs: 1,
      trustedForMs: 0,
      wish: undefined,
      supervisor: undefined,
      notedEpoch: 1,
      replicas: [
        {
          name: "r1",
          role: "active",
          rpc,
          operatorRpc: undefined,
          seenMsAgo: 1,
          lastTenure: 1,
        },
      ],
    };
  }

  async function ask(
    method: string,
    params: readonly unknown[],
    token = userToken,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return { status: response.status, text: await response.text() };
  }

  const paramsOf = (method: string): readonly unknown[] =>
    methods.find(({ name }) => name === method)?.params.map(() => null) ?? [];

  it("are methods that there are, and none that changes anything", () => {
    const names = new Set(methods.map(({ name }) => name));
    for (const name of forwarded) {
      expect(names).to.include(name);
      expect(name).not.to.match(
        /_(send|store|create|prepare|import|resume|n?ack|(un)?subscribe|call)/,
      );
    }
  });

  it("are asked with the token of users, and answered as they were", async () => {
    for (const method of forwarded) {
      const { status, text: said } = await ask(method, paramsOf(method));
      expect(status, method).to.equal(200);
      expect(JSON.parse(said)).to.have.property("result", "read");
    }
    expect(heard.map(({ method }) => method)).to.have.members([...forwarded]);
    for (const { token } of heard)
      expect(token).to.equal(`Bearer ${userToken}`);
  });

  it("bring errors of the node as they are", async () => {
    const error = { code: -32_603, message: "PD012244: There is none" };
    answer = { status: 200, body: { jsonrpc: "2.0", id: 1, error } };
    const { status, text: said } = await ask("sequencer_status", []);
    expect(status).to.equal(200);
    expect(JSON.parse(said)).to.deep.include({ error });
  });

  it("are refused with 503 while the replica refuses, is away, or none is active", async () => {
    const error = { code: -32_002, message: "PD099020: it is passive" };
    answer = { status: 503, body: { jsonrpc: "2.0", id: 1, error } };
    expect((await ask("sequencer_status", [])).status).to.equal(503);
    answer = { status: 200, body: "nonsense" };
    expect((await ask("sequencer_status", [])).status).to.equal(503);
    view = { ...view, master: undefined };
    expect((await ask("sequencer_status", [])).status).to.equal(503);
    view = viewOf("http://127.0.0.1:1");
    expect((await ask("sequencer_status", [])).status).to.equal(503);
  });

  it("are no writes: these are never sent, and strangers get nothing", async () => {
    for (const { name, params } of methods) {
      if (forwarded.has(name) || name === "rpc.discover") continue;
      const { text: said } = await ask(
        name,
        params.map(() => null),
      );
      expect(said, name).to.include("PD099021");
    }
    expect((await ask("coordinator_stopElection", [])).text).to.include(
      "PD020702",
    );
    const stranger = await ask(
      "sequencer_status",
      [],
      "another token, guessed",
    );
    expect(stranger.status).to.equal(401);
    expect(heard).to.deep.equal([]);
  });
});
