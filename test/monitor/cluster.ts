import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";

import { expect } from "chai";
import hre from "hardhat";

import type { Cluster } from "../../src/cluster/cluster.ts";
import { openChainClient } from "../../src/chain/client/open.ts";
import { databaseBytes } from "../../src/monitor/database-size.ts";
import { type MonitorDoor, openMonitorDoor } from "../../src/monitor/door.ts";
import { NodeLog } from "../../src/monitor/log.ts";
import { Monitor } from "../../src/monitor/monitor.ts";
import {
  createTestCluster,
  keyOf,
  names,
  payFromOnePot,
} from "../helpers/cluster.ts";
import { parseExposition, type Scrape } from "../helpers/monitor/exposition.ts";
import { openTestLedger } from "../helpers/runtime-ledger.ts";

const PAYMENTS = 12;

interface Watched {
  readonly monitor: Monitor;
  readonly log: NodeLog;
  readonly door: MonitorDoor;
}

describe("Monitors of a cluster", function () {
  this.timeout(60_000);
  let cluster: Cluster;
  let dataDir: string;
  let logged = "";
  const watched = new Map<string, Watched>();
  const get = async (name: string, path: string): Promise<Response> =>
    await fetch(`${watched.get(name)?.door.url}${path}`);
  const scrape = async (name: string): Promise<Scrape> =>
    parseExposition(await (await get(name, "/metrics")).text());

  before(async () => {
    const { provider } = await hre.network.create();
    const openClient = (): ReturnType<typeof openChainClient> =>
      openChainClient(provider);
    const client = openClient();
    const { chainId, factory } = await openTestLedger(client);
    await client.close();
    dataDir = mkdtempSync(join(tmpdir(), "monitor-"));
    const stream = new Writable({
      write: (chunk: Buffer, _, done) => {
        logged += chunk.toString();
        done();
      },
    });
    cluster = createTestCluster({
      openClient,
      chainId,
      factory,
      dataDir,
      onFact: (name, fact) => {
        watched.get(name)?.monitor.see(fact);
        watched.get(name)?.log.see(fact);
      },
    });
    for (const name of names) {
      const member = cluster.member(name);
      const monitor = new Monitor(
        { reuseMs: 0 },
        {
          status: () => member.node.status(),
          load: () => member.node.load(),
          databaseBytes: () => databaseBytes(join(dataDir, name, "node.db")),
        },
      );
      const door = await openMonitorDoor(
        { port: 0 },
        {
          monitor,
          report: (error) => {
            throw error;
          },
        },
      );
      const log = new NodeLog({ node: name, level: "debug" }, { stream });
      watched.set(name, { monitor, door, log });
    }
  });

  after(async () => {
    for (const { door } of watched.values()) await door.close();
    await cluster.stop();
    rmSync(dataDir, { recursive: true });
  });

  it("count what their nodes do, and tell nothing private", async () => {
    expect((await get("alice", "/ready")).status).to.equal(503);
    cluster.start();
    const group = await cluster.createGroup({
      domain: "group-token",
      threshold: 3,
      name: "whispering",
    });
    expect((await get("alice", "/ready")).status).to.equal(200);
    await payFromOnePot(cluster, group, PAYMENTS);
    let dispatched = 0;
    let takeovers = 0;
    let timed = 0;
    for (const name of names) {
      const { value } = await scrape(name);
      // Alice fills the pot.
      const expected = PAYMENTS / names.length + (name === "alice" ? 1 : 0);
      expect(value("sequencer_info", { node: name })).to.equal(1);
      expect(value("sequencer_groups")).to.equal(1);
      expect(value("sequencer_intents_accepted_total")).to.equal(expected);
      const settledName = "sequencer_intents_settled_total";
      expect(value(settledName, { outcome: "confirmed" })).to.equal(expected);
      expect(value(settledName, { outcome: "reverted" })).to.equal(0);
      const count = "sequencer_intent_settle_seconds_count";
      expect(value(count, { outcome: "confirmed" })).to.equal(expected);
      const told = value("sequencer_intent_dispatch_seconds_count") ?? NaN;
      expect(told).to.be.within(0, expected);
      expect(value("sequencer_intent_confirm_seconds_count")).to.equal(told);
      timed += told;
      expect(
        value("sequencer_own_intents", { state: "Pending" }) ?? 0,
      ).to.equal(0);
      const failed = "sequencer_submissions_failed_total";
      expect(value(failed, { failure: "reverted" })).to.equal(0);
      expect(value("sequencer_database_bytes")).to.be.greaterThan(10_000);
      expect(value("sequencer_blocks_behind")).to.be.at.least(0);
      dispatched += value("sequencer_intents_dispatched_total") ?? 0;
      for (const cause of ["start", "handover", "failover"])
        takeovers += value("sequencer_takeovers_total", { cause }) ?? NaN;
      expect(value("sequencer_monitor_errors_total")).to.equal(undefined);
    }
    expect(dispatched).to.be.at.least(PAYMENTS + 1);
    expect(takeovers).to.be.greaterThan(0);
    expect(timed).to.be.greaterThan(0);
    const texts = await Promise.all(
      names.flatMap((name) =>
        ["/metrics", "/ready", "/health"].map(
          async (path) => await (await get(name, path)).text(),
        ),
      ),
    );
    const all = `${texts.join("\n")}\n${logged}`;
    expect(logged).to.match(/intent-confirmed/);
    for (const secret of ["pot", "shop", "whispering", "transfer", "mint"])
      expect(all, secret).to.not.include(secret);
    for (const name of names)
      expect(all).to.not.include(keyOf(name).replace("0x", ""));
    expect(texts.join("\n")).to.not.include(group.address);
  });

  it("tell when a node stands in for one that has crashed", async () => {
    const { node } = cluster.member("alice");
    const [status] = node.status().groups;
    const first = status?.ranking[0] ?? "";
    await cluster.member(first).crash();
    const sender = names.find((name) => name !== first) ?? "";
    const member = cluster.member(sender);
    const { address } = member.node.groups()[0] ?? {};
    if (address === undefined) throw new Error("There is no group.");
    const id = await member.send({
      group: address,
      function: "mint(string,uint256)",
      args: { to: "pot", amount: "1" },
    });
    expect((await member.receipt(address, id)).type).to.equal("Confirmed");
    let failovers = 0;
    for (const name of names.filter((other) => other !== first)) {
      const { value } = await scrape(name);
      const takeovers = "sequencer_takeovers_total";
      failovers += value(takeovers, { cause: "failover" }) ?? 0;
    }
    expect(failovers).to.be.greaterThan(0);
    // The monitor of the dead one still tells what it can.
    const { value, types } = await scrape(first);
    expect(types.has("sequencer_groups")).to.equal(false);
    expect(
      value("sequencer_monitor_errors_total", { part: "status" }),
    ).to.equal(1);
    expect((await get(first, "/ready")).status).to.equal(503);
  });
});
