import { expect } from "chai";

import { RpcError } from "../../../src/api/rpc/errors.ts";
import {
  createReplicaMethods,
  type ReplicaOperations,
} from "../../../src/api/rpc/methods/operators.ts";
import {
  coordinatorMethods,
  operatorDocument,
  replicaMethods,
  withDiscovery,
} from "../../../src/api/rpc/operator-methods.ts";
import {
  type HttpRpcServer,
  operatorServer,
} from "../../../src/api/rpc/http-rpc-server.ts";

const token = "a token of operators, not to be shown";
const hash = "ab".repeat(32);

describe("The servers of operators", () => {
  let started: unknown[] = [];
  const operations: ReplicaOperations = {
    isActive: () => false,
    start: async (...order) => {
      started.push(order);
      return await Promise.resolve(7);
    },
    stop: () => {
      throw new RpcError(-32_004, "PD099023: r1 refuses: it is passive");
    },
    syncStatus: async () =>
      await Promise.resolve({
        replica: "r1",
        role: "passive" as const,
        epoch: null,
        applied: { sequence: 0, hash },
        height: null,
        hasChainTrouble: true,
        hasPayerTrouble: false,
        oldestDispatchMs: null,
      }),
  };
  const reported: unknown[] = [];
  const aServer = (given: string): HttpRpcServer =>
    operatorServer(
      {
        host: "127.0.0.1",
        port: 0,
        token: given,
        methods: withDiscovery(createReplicaMethods(operations)),
      },
      { report: (error) => reported.push(error) },
    );
  let server: HttpRpcServer;
  let url: string;

  beforeEach(async () => {
    started = [];
    server = aServer(token);
    url = await server.start();
  });
  afterEach(async () => {
    await server.stop();
    expect(reported).to.deep.equal([]);
  });

  const post = async (
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${token}`,
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const ask = async (
    method: string,
    ...params: unknown[]
  ): Promise<unknown> => {
    const answer = await post({ jsonrpc: "2.0", id: 1, method, params });
    expect(answer.status).to.equal(200);
    return await answer.json();
  };
  const codeOf = (answer: unknown): unknown =>
    (answer as { readonly error?: { readonly code: number } }).error?.code;

  it("do not start without a token, or with one that can be guessed", () => {
    for (const bad of ["", "too short"])
      expect(() => aServer(bad)).to.throw("token");
  });

  it("let nobody in without the token, from a web page, or with another method of HTTP", async () => {
    const question = {
      jsonrpc: "2.0",
      id: 1,
      method: "admin_startSequencer",
      params: [hash, null],
    };
    for (const authorization of ["", "Bearer ", `Bearer ${token}x`, token])
      expect((await post(question, { authorization })).status).to.equal(401);
    expect(
      (await post(question, { origin: "https://page.example" })).status,
    ).to.equal(403);
    const got = await fetch(url, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(got.status).to.equal(405);
    expect(started).to.deep.equal([]);
  });

  it("carry out what fits, also while a replica is passive", async () => {
    expect(await ask("admin_sequencerActive")).to.deep.include({
      result: false,
    });
    expect(await ask("admin_startSequencer", hash, 3)).to.deep.include({
      result: 7,
    });
    expect(await ask("admin_startSequencer", hash, null)).to.deep.include({
      result: 7,
    });
    expect(started).to.deep.equal([
      [hash, 3],
      [hash, undefined],
    ]);
    expect(codeOf(await ask("admin_stopSequencer", null))).to.equal(-32_004);
    expect(await ask("sequencer_syncStatus")).to.have.nested.property(
      "result.replica",
      "r1",
    );
  });

  it("describe themselves, each its own methods", async () => {
    const names = (document: unknown): readonly string[] =>
      (
        document as { readonly methods: readonly { readonly name: string }[] }
      ).methods.map(({ name }) => name);
    const told = (await ask("rpc.discover")) as { readonly result: unknown };
    const own = replicaMethods.map(({ name }) => name);
    expect(names(told.result)).to.deep.equal([...own, "rpc.discover"]);
    const all = names(operatorDocument());
    expect(all).to.deep.equal([
      ...own,
      ...coordinatorMethods.map(({ name }) => name),
    ]);
    expect(new Set(all).size).to.equal(all.length);
  });

  it("refuse what does not fit, and carry nothing out", async () => {
    for (const params of [
      [],
      [hash],
      [hash, -1],
      [hash, 1.5],
      [hash, "1"],
      [`0x${hash}`, null],
      [hash.toUpperCase(), null],
      [`${hash}00`, null],
      [`${hash}\n`, null],
      [{ hash }, null],
      [[hash], null],
    ])
      expect(
        codeOf(await ask("admin_startSequencer", ...params)),
        JSON.stringify(params),
      ).to.equal(-32_600);
    expect(codeOf(await ask("ptx_sendTransaction", {}))).to.equal(-32_600);
    expect(codeOf(await ask("sequencer_status"))).to.equal(-32_600);
    const nonsense = await (await post("{")).json();
    expect(codeOf(nonsense)).to.equal(-32_700);
    expect(started).to.deep.equal([]);
  });
});
