import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "chai";

import { databaseBytes } from "../../src/monitor/database-size.ts";
import { definitions } from "../../src/monitor/definitions.ts";
import { openStore } from "../../src/store/store.ts";
import {
  aGroup,
  alice,
  aLoad,
  aStatus,
  bob,
  intentAt,
  MonitorRig,
} from "../helpers/monitor/fixture.ts";

describe("Metrics of the status", () => {
  it("add up all groups", async () => {
    const rig = new MonitorRig();
    const blocked = [{ id: intentAt(1), why: "a secret" }];
    rig.status = () =>
      aStatus({
        height: 12,
        openTransactions: 4,
        groupsAside: 5,
        groups: [
          aGroup({
            own: { Pending: 2, Parked: 1 },
            blocked,
            coordinator: "Active",
          }),
          aGroup({
            own: { Pending: 3 },
            coordinated: { Pooled: 6 },
            coordinator: "Active",
            missingStates: 2,
          }),
          aGroup({ coordinated: { Pooled: 1 }, missingStates: 3 }),
        ],
      });
    const { value } = await rig.scrape();
    expect(value("sequencer_info", { node: "alice" })).to.equal(1);
    expect(value("sequencer_boots")).to.equal(3);
    expect(value("sequencer_block_height")).to.equal(12);
    expect(value("sequencer_groups")).to.equal(8);
    expect(value("sequencer_open_public_transactions")).to.equal(4);
    expect(value("sequencer_own_intents", { state: "Pending" })).to.equal(5);
    expect(value("sequencer_own_intents", { state: "Parked" })).to.equal(1);
    expect(
      value("sequencer_coordinated_transactions", { state: "Pooled" }),
    ).to.equal(7);
    expect(value("sequencer_coordinator_groups", { state: "Active" })).to.equal(
      2,
    );
    expect(value("sequencer_coordinator_groups", { state: "Idle" })).to.equal(
      6,
    );
    expect(value("sequencer_blocked_intents")).to.equal(1);
    expect(value("sequencer_missing_states")).to.equal(5);
    // A state that nothing is in any more is 0, not gone.
    rig.status = () => aStatus();
    const after = await rig.scrape();
    expect(after.value("sequencer_own_intents", { state: "Parked" })).to.equal(
      0,
    );
  });

  it("tell the oldest heartbeat only where somebody waits", async () => {
    const rig = new MonitorRig();
    const own = { Delegated: 1 };
    rig.status = () =>
      aStatus({
        groups: [
          aGroup({ active: bob, heartbeatAgeMs: 90_000 }),
          aGroup({ own, active: bob, heartbeatAgeMs: 2_500 }),
          aGroup({ own, active: alice }),
          aGroup({ own }),
        ],
      });
    const { value } = await rig.scrape();
    expect(value("sequencer_coordinator_heartbeat_age_seconds")).to.equal(2.5);
    expect(value("sequencer_groups_without_coordinator")).to.equal(1);
  });

  it("count dropped messages by reason, with a bound on reasons", async () => {
    const rig = new MonitorRig();
    rig.status = () => aStatus({ dropped: { forged: 3, "no member": 1 } });
    const name = "sequencer_messages_dropped_total";
    await rig.scrape();
    const { value } = await rig.scrape();
    expect(value(name, { reason: "forged" })).to.equal(3);
    expect(value(name, { reason: "no member" })).to.equal(1);
    const dropped = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`made up ${i}`, 1]),
    );
    rig.status = () => aStatus({ dropped });
    const { samples } = await rig.scrape();
    const series = samples.filter((sample) => sample.name === name);
    expect(series.length).to.be.at.most(65);
    const total = series.reduce((sum, sample) => sum + sample.value, 0);
    expect(total).to.equal(500);
  });

  it("show what waits, and how far the chain is", async () => {
    const rig = new MonitorRig();
    const outbox = { ...aLoad().outbox, dispatch: 4 };
    rig.load = () => aLoad({ head: 30, behindBlocks: 23, jobs: 9, outbox });
    rig.see({ type: "Started", height: 1 }, { type: "BlockSeen", height: 7 });
    rig.nowMs += 1_500;
    const { value } = await rig.scrape();
    expect(value("sequencer_outbox_messages", { kind: "dispatch" })).to.equal(
      4,
    );
    expect(value("sequencer_jobs_waiting")).to.equal(9);
    expect(value("sequencer_chain_head_height")).to.equal(30);
    expect(value("sequencer_blocks_behind")).to.equal(23);
    expect(value("sequencer_block_age_seconds")).to.equal(1.5);
  });

  it("count requests to the chain by method", async () => {
    const sent = new Map([["eth_getLogs", 3]]);
    const chainRequests = () => ({ sent, rateLimited: 2 });
    const rig = new MonitorRig({}, { chainRequests });
    await rig.scrape();
    sent.set("eth_getLogs", 4);
    const { value } = await rig.scrape();
    const name = "sequencer_chain_requests_total";
    expect(value(name, { method: "eth_getLogs" })).to.equal(4);
    expect(value("sequencer_chain_rate_limited_total")).to.equal(2);
  });

  it("show peers, as long as they are there", async () => {
    let peers = [
      { name: "bob", isConnected: true, queued: 2, lost: 0 },
      { name: "carol", isConnected: false, queued: 100, lost: 7 },
    ];
    const rig = new MonitorRig({}, { peers: () => peers });
    const { value } = await rig.scrape();
    expect(value("sequencer_peer_connected", { peer: "bob" })).to.equal(1);
    expect(value("sequencer_peer_connected", { peer: "carol" })).to.equal(0);
    expect(value("sequencer_peer_queued_messages", { peer: "carol" })).to.equal(
      100,
    );
    expect(
      value("sequencer_peer_lost_messages_total", { peer: "carol" }),
    ).to.equal(7);
    peers = peers.slice(0, 1);
    const after = await rig.scrape();
    expect(after.value("sequencer_peer_connected", { peer: "carol" })).to.equal(
      undefined,
    );
  });

  it("measure the database with its journal", async () => {
    const directory = mkdtempSync(join(tmpdir(), "monitor-"));
    const file = join(directory, "node.db");
    const store = openStore({ file });
    try {
      const rig = new MonitorRig(
        {},
        { databaseBytes: () => databaseBytes(file), logLinesLost: () => 2 },
      );
      const { value } = await rig.scrape();
      expect(value("sequencer_database_bytes")).to.be.greaterThan(4_095);
      expect(value("sequencer_log_lines_lost_total")).to.equal(2);
      expect(store.database.isOpen).to.equal(true);
    } finally {
      store.close();
      rmSync(directory, { recursive: true });
    }
    expect(store.database.isOpen).to.equal(false);
  });

  it("tell the rest when something cannot be read", async () => {
    const fail = (): never => {
      throw new Error("not now");
    };
    const rig = new MonitorRig({}, { peers: fail, databaseBytes: fail });
    await rig.scrape();
    rig.status = fail;
    rig.see({ type: "Accepted", id: intentAt(1) });
    const { value, types } = await rig.scrape();
    expect(types.has("sequencer_groups")).to.equal(false);
    expect(types.has("sequencer_database_bytes")).to.equal(false);
    expect(value("sequencer_intents_accepted_total")).to.equal(1);
    expect(value("sequencer_jobs_waiting")).to.equal(0);
    expect(value("process_cpu_seconds_total")).to.be.a("number");
    const name = "sequencer_monitor_errors_total";
    expect(value(name, { part: "status" })).to.equal(1);
    expect(value(name, { part: "peers" })).to.equal(2);
    rig.status = () => aStatus();
    expect((await rig.scrape()).value("sequencer_groups")).to.equal(0);
  });

  it("are all told, and all by names of ours or of the process", async () => {
    const rig = new MonitorRig(
      {},
      {
        peers: () => [{ name: "bob", isConnected: true, queued: 0, lost: 0 }],
        databaseBytes: () => 1,
        logLinesLost: () => 0,
        chainRequests: () => ({
          sent: new Map([["eth_getLogs", 1]]),
          rateLimited: 0,
        }),
        // One that has all there is to tell, which no replica has at once.
        replica: () => ({
          role: "active",
          epoch: 1,
          leaseAgeMs: 1,
          lagTurns: 1,
          lagMs: 1,
        }),
      },
    );
    rig.monitor.seeAppend({ turns: 1, bytes: 1, ms: 1 });
    const { types } = await rig.scrape();
    expect([...types.keys()]).to.include.members(Object.keys(definitions));
    for (const name of types.keys())
      expect(name).to.match(/^(sequencer|process|nodejs)_[a-z0-9_]+$/);
  });

  it("are not read again for those who ask too often", async () => {
    let reads = 0;
    const rig = new MonitorRig({ reuseMs: 100 });
    rig.status = () => {
      reads += 1;
      return aStatus();
    };
    await Promise.all(Array.from({ length: 50 }, () => rig.scrape()));
    expect(reads).to.equal(1);
    rig.nowMs += 100;
    await rig.scrape();
    expect(reads).to.equal(2);
  });
});
