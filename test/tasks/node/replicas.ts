import { once } from "node:events";
import { request } from "node:https";
import { text } from "node:stream/consumers";

import { expect } from "chai";
import { WebSocket } from "ws";
import { z } from "zod";

import { Parts } from "../../../src/host/parts.ts";
import type { GroupEntry } from "../../../src/plugin/groups-config.ts";
import type { Reachable } from "../../../tasks/node/reporter.ts";
import { RpcClient } from "../../../tasks/shared/rpc-client.ts";
import {
  parseExposition,
  type Scrape,
} from "../../helpers/monitor/exposition.ts";
import { type Backend, hasHaproxy, Haproxy } from "../../helpers/haproxy.ts";
import { PostgresServer } from "../../helpers/postgres.ts";
import { expectError } from "../../plugin/helpers/errors.ts";
import { freePort } from "../../plugin/helpers/processes.ts";
import { until } from "../../torture/harness/processes/until.ts";
import {
  mint,
  ServedNodes,
  SharedChain,
  untilConfirmed,
  untilJoined,
} from "../helpers/served-nodes.ts";

const replicasType = z.object({
  answeredBy: z.string(),
  active: z.string().optional(),
  epoch: z.number(),
  replicas: z.array(z.object({ name: z.string(), role: z.string() })),
});

interface Served {
  readonly at: Reachable;
  readonly rpc: RpcClient;
  readonly parts: Parts;
}

describe("sequencer:node with replicas", function () {
  this.timeout(240_000);
  let server: PostgresServer;
  let chain: SharedChain;
  let nodes: ServedNodes;
  let groups: Readonly<Record<string, GroupEntry>>;
  const served = new Map<string, Served>();
  const listens = new Map<string, string>();
  let haproxy: Haproxy | undefined;

  before(async () => {
    server = await PostgresServer.start();
    chain = await SharedChain.start();
    for (const replica of ["r1", "r2"])
      listens.set(replica, `127.0.0.1:${await freePort()}`);
    nodes = await ServedNodes.prepare(chain, [...listens.values()]);
    groups = await nodes.deploy({
      members: "alice,bob,carol",
      domain: "group-token",
    });
    for (const name of ["bob", "carol"] as const)
      await nodes.start(name, groups);
  });

  after(async () => {
    await haproxy?.stop();
    for (const { parts } of served.values()) await parts.close();
    await nodes.stop();
    await chain.stop();
    await server.stop();
  });

  async function serve(replica: string): Promise<Served> {
    const parts = new Parts();
    const at = await nodes.serve(
      "alice",
      {
        groups,
        options: { replica, listen: listens.get(replica) },
        database: { url: server.url, leaseMs: 1_500, graceMs: 500, pollMs: 50 },
      },
      parts,
    );
    const one = { at, parts, rpc: new RpcClient(at.url) };
    served.set(replica, one);
    return one;
  }

  async function untilActive(name: string): Promise<Served> {
    const one = served.get(name);
    if (one === undefined) throw new Error(`There is no replica ${name}.`);
    await until({ what: `${name} is active`, deadlineMs: 60_000 }, async () => {
      const { active } = await one.rpc.ask(replicasType, "sequencer_replicas");
      const ready = await fetch(`${one.at.statusUrl}/ready`);
      return active === name && ready.ok ? true : undefined;
    });
    return one;
  }

  async function scrape(name: string): Promise<Scrape> {
    const url = served.get(name)?.at.statusUrl ?? "";
    return parseExposition(await (await fetch(`${url}/metrics`)).text());
  }

  it("serves users at the active one, and says at the passive one which that is", async () => {
    await serve("r1");
    const { rpc } = await untilActive("r1");
    await untilJoined(rpc, "main");
    await untilConfirmed(rpc, await mint(rpc, groups["main"]));

    const passive = await serve("r2");
    const answer = await fetch(passive.at.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "sequencer_status",
        params: [],
      }),
    });
    expect(answer.status).to.equal(503);
    expect(answer.headers.get("retry-after")).to.equal("1");
    const { error } = (await answer.json()) as {
      readonly error: { readonly code: number; readonly message: string };
    };
    expect(error.code).to.equal(-32_002);
    expect(error.message).to.match(/alice\/r2 is passive/);
    expect((await fetch(`${passive.at.statusUrl}/health`)).status).to.equal(
      200,
    );
    const ready = await fetch(`${passive.at.statusUrl}/ready`);
    expect(ready.status).to.equal(503);
    expect(await ready.text()).to.include("passive");
  });

  it("tell in their metrics which is active, and how the other one follows", async () => {
    const role = "sequencer_replica_role";
    const active = await scrape("r1");
    expect(active.value(role, { role: "active" })).to.equal(1);
    expect(active.value(role, { role: "passive" })).to.equal(0);
    expect(active.value("sequencer_replica_epoch")).to.equal(1);
    expect(active.value("sequencer_ready")).to.equal(1);
    expect(active.value("sequencer_replica_lease_age_seconds")).to.be.within(
      0,
      1.5,
    );
    expect(
      active.value("sequencer_replica_takeovers_total", { cause: "start" }),
    ).to.equal(1);
    const turns = active.value("sequencer_replica_appended_turns_total") ?? 0;
    expect(turns).to.be.greaterThan(0);
    expect(
      active.value("sequencer_replica_appended_bytes_total"),
    ).to.be.greaterThan(turns);
    expect(active.value("sequencer_replica_append_seconds_count")).to.be.within(
      1,
      turns,
    );
    expect(active.value("sequencer_replica_lag_turns")).to.equal(undefined);

    await until({ what: "r2 follows", deadlineMs: 60_000 }, async () => {
      const { value } = await scrape("r2");
      return value("sequencer_replica_lag_turns") === 0 ? true : undefined;
    });
    const passive = await scrape("r2");
    expect(passive.value(role, { role: "passive" })).to.equal(1);
    expect(passive.value(role, { role: "active" })).to.equal(0);
    expect(passive.value("sequencer_replica_epoch")).to.equal(1);
    expect(passive.value("sequencer_ready")).to.equal(0);
    expect(passive.value("sequencer_healthy")).to.equal(1);
    expect(passive.value("sequencer_replica_lag_seconds")).to.be.at.least(0);
    expect(
      passive.value("sequencer_replica_trouble", { kind: "database" }),
    ).to.equal(0);
    expect(passive.value("sequencer_replica_lease_age_seconds")).to.equal(
      undefined,
    );
    // It has no node that could be asked.
    expect(passive.value("sequencer_info")).to.equal(undefined);
    expect(passive.value("sequencer_monitor_errors_total")).to.equal(undefined);
  });

  function backendOf(name: string): Backend {
    const { at } = served.get(name) ?? {};
    const portOf = (url = ""): number => Number(new URL(url).port);
    return {
      http: portOf(at?.url),
      webSocket: portOf(at?.webSocketUrl),
      status: portOf(at?.statusUrl),
    };
  }

  const question = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "sequencer_replicas",
    params: [],
  });
  const answerType = z.object({ result: replicasType });

  /** Which replica a user gets at the address of HAProxy. */
  async function reached(port: number): Promise<string> {
    const sent = request({
      host: "127.0.0.1",
      port,
      method: "POST",
      headers: { "content-type": "application/json" },
      rejectUnauthorized: false,
    }).end(question);
    const [answer] = (await once(sent, "response")) as [
      Parameters<typeof text>[0],
    ];
    const { result } = answerType.parse(JSON.parse(await text(answer)));
    return result.answeredBy;
  }

  it("are found by users behind HAProxy, also with WebSockets", async function () {
    if (!hasHaproxy()) this.skip();
    const [r1, r2] = [backendOf("r1"), backendOf("r2")];
    haproxy = new Haproxy(await freePort(), { r1, r2 });
    await haproxy.start();
    const { port } = haproxy;
    // The passive replica would answer this, too. It is asked only until HAProxy has found out that it is not ready.
    await until({ what: "only r1 is asked", deadlineMs: 60_000 }, async () => {
      const names = new Set<string>();
      for (let n = 0; n < 10; n++) names.add(await reached(port));
      return names.size === 1 && names.has("r1") ? true : undefined;
    });
    const socket = new WebSocket(`wss://127.0.0.1:${port}`, {
      rejectUnauthorized: false,
    });
    await once(socket, "open");
    socket.send(question);
    const [message] = (await once(socket, "message")) as [Buffer];
    const answer = answerType.parse(JSON.parse(message.toString("utf8")));
    expect(answer.result.answeredBy).to.equal("r1");
    socket.terminate();
  });

  it("goes on at the other one when the active one is stopped", async () => {
    const first = served.get("r1");
    if (first === undefined) throw new Error("There is no r1.");
    const id = await mint(first.rpc, groups["main"]);
    await first.parts.close();
    served.delete("r1");
    const { rpc } = await untilActive("r2");
    await untilConfirmed(rpc, id);
    await untilConfirmed(rpc, await mint(rpc, groups["main"]));
    const { epoch } = await rpc.ask(replicasType, "sequencer_replicas");
    expect(epoch).to.equal(2);
    const { value } = await scrape("r2");
    expect(value("sequencer_replica_epoch")).to.equal(2);
    expect(
      value("sequencer_replica_takeovers_total", { cause: "handover" }),
    ).to.equal(1);
    const { port } = haproxy ?? {};
    if (port === undefined) return;
    await until({ what: "users get r2", deadlineMs: 60_000 }, async () =>
      (await reached(port)) === "r2" ? true : undefined,
    );
  });

  it("does not open the store of a replica without its database", async () => {
    const listen = listens.get("r1");
    await expectError(
      "DATABASE_REQUIRED",
      async () =>
        await nodes.serve("alice", { options: { listen }, folder: "r1" }),
    );
  });
});
