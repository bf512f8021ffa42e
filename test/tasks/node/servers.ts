import { expect } from "chai";
import { configVariable } from "hardhat/config";
import { z } from "zod";

import { clientAt } from "../../../tasks/shared/ask-node.ts";
import { RpcClient } from "../../../tasks/shared/rpc-client.ts";
import { askStatus } from "../../../tasks/status/ask-status.ts";
import { deploy } from "../../plugin/helpers/environment.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { ServedNodes, SharedChain } from "../helpers/served-nodes.ts";

const rpcToken = "a token of the JSON-RPC, not to be shown";
const statusToken = "a token of the metrics, not to be shown";
const variables = {
  NODE_SERVERS_RPC_TOKEN: rpcToken,
  NODE_SERVERS_STATUS_TOKEN: statusToken,
  NODE_SERVERS_SHORT_TOKEN: "too short",
};
const tokens = {
  rpcToken: configVariable("NODE_SERVERS_RPC_TOKEN"),
  statusToken: configVariable("NODE_SERVERS_STATUS_TOKEN"),
};

describe("tasks: the servers of sequencer:node", function () {
  this.timeout(60_000);
  let chain: SharedChain;
  let nodes: ServedNodes;
  before(async () => {
    Object.assign(process.env, variables);
    chain = await SharedChain.start();
  });
  after(async () => {
    for (const name of Object.keys(variables))
      Reflect.deleteProperty(process.env, name);
    await chain.stop();
  });
  beforeEach(async () => {
    nodes = await ServedNodes.prepare(chain);
    await deploy(await nodes.environment(), {});
  });
  afterEach(async () => {
    await nodes.stop();
    Reflect.deleteProperty(process.env, "SEQUENCER_RPC_TOKEN");
  });

  const statusOf = async (
    url: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<number> => {
    const { status, body } = await fetch(url, { headers });
    await body?.cancel();
    return status;
  };

  it("listen on this machine without a token, unless told", async () => {
    const { url, statusUrl } = await nodes.serve("alice");
    expect(url).to.match(/^http:\/\/127\.0\.0\.1:/);
    expect(statusUrl).to.match(/^http:\/\/127\.0\.0\.1:/);
    await clientAt(url).ask(z.object({}), "sequencer_status");
    expect(await statusOf(`${statusUrl}/metrics`)).to.equal(200);
  });

  it("listen elsewhere with tokens, and answer nobody without them", async () => {
    const where = await nodes.serve("alice", {
      options: { rpcHost: "0.0.0.0" },
      servers: { ...tokens, statusHost: "0.0.0.0" },
    });
    expect(where.url).to.match(/^http:\/\/0\.0\.0\.0:/);
    expect(where.webSocketUrl).to.match(/^ws:\/\/0\.0\.0\.0:/);
    const { statusUrl } = where;
    // As a load balancer and a scraper ask.
    for (const path of ["/health", "/ready"])
      expect(await statusOf(`${statusUrl}${path}`), path).to.be.oneOf([
        200, 503,
      ]);
    expect(await statusOf(`${statusUrl}/health`)).to.equal(200);
    expect(await statusOf(`${statusUrl}/metrics`)).to.equal(401);
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    expect(
      await statusOf(`${statusUrl}/metrics`, bearer(statusToken)),
    ).to.equal(200);
    expect(await statusOf(`${statusUrl}/metrics`, bearer(rpcToken))).to.equal(
      401,
    );
    // As tasks ask.
    const [without] = await askStatus({ url: where.url });
    expect(without).to.deep.equal({
      type: "node-down",
      url: where.url,
      reason:
        "it wants a token, which goes into the environment variable SEQUENCER_RPC_TOKEN",
    });
    process.env["SEQUENCER_RPC_TOKEN"] = statusToken;
    const [wrong] = await askStatus({ url: where.url });
    expect(wrong).to.have.property("type", "node-down");
    expect(JSON.stringify(wrong)).to.include("does not take the token");
    expect(JSON.stringify(wrong)).to.not.include(statusToken);
    process.env["SEQUENCER_RPC_TOKEN"] = rpcToken;
    const [with_] = await askStatus({ url: where.url });
    expect(with_).to.include({ type: "node-status", name: "alice" });
  });

  it("answer to allowed names only, if there are any", async () => {
    const where = await nodes.serve("alice", {
      servers: { ...tokens, rpcAllowedHosts: ["alice.example"] },
    });
    const { port } = new URL(where.url);
    // Loopback names are always among them; this address is none of them.
    const other = new RpcClient(`http://127.0.0.2:${port}`, rpcToken);
    const own = new RpcClient(where.url, rpcToken);
    expect(await own.tryAsk(z.object({}), "sequencer_status")).to.have.property(
      "result",
    );
    expect(
      await other.tryAsk(z.object({}), "sequencer_status"),
    ).to.have.property("reason");
  });

  it("do not listen elsewhere without a token, or with one that is unfit", async () => {
    for (const options of [{ rpcHost: "0.0.0.0" }, { statusHost: "::" }])
      await expectError("SERVER_TOKEN_MISSING", async () => {
        await nodes.serve("alice", { options });
      });
    const short = configVariable("NODE_SERVERS_SHORT_TOKEN");
    for (const servers of [{ rpcToken: short }, { statusToken: short }]) {
      const { message } = await expectError(
        "SERVER_TOKEN_INVALID",
        async () => {
          await nodes.serve("alice", { servers });
        },
      );
      expect(message).to.include(Object.keys(servers)[0]);
      expect(message).to.not.include("too short");
    }
  });

  it("say so if this machine does not have the address", async () => {
    for (const [name, option, options] of [
      ["alice", "--rpc-host", { rpcHost: "192.0.2.1" }],
      ["bob", "--status-host", { statusHost: "192.0.2.1" }],
    ] as const) {
      const { message } = await expectError("HOST_REFUSED", async () => {
        await nodes.serve(name, { options, servers: tokens });
      });
      expect(message).to.include("192.0.2.1").and.to.include(option);
    }
  });

  it("get no token that does not fit a header, and it is not shown", async () => {
    for (const token of [
      "secret",
      "secret\nsecret: secret",
      " secret ".repeat(4),
    ]) {
      process.env["SEQUENCER_RPC_TOKEN"] = token;
      const { message } = await expectError("TOKEN_INVALID", () =>
        clientAt("http://127.0.0.1:1"),
      );
      expect(message).to.not.include("secret");
    }
    process.env["SEQUENCER_RPC_TOKEN"] = "";
    clientAt("http://127.0.0.1:1");
  });
});
