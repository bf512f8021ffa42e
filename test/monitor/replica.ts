import { expect } from "chai";

import type { ReplicaSample } from "../../src/replica/options.ts";
import { MonitorRig } from "../helpers/monitor/fixture.ts";

const passive: ReplicaSample = {
  role: "passive",
  epoch: 3,
  leaseAgeMs: undefined,
  lagTurns: 12,
  lagMs: 1_500,
};

const active: ReplicaSample = {
  role: "active",
  epoch: 4,
  leaseAgeMs: 250,
  lagTurns: undefined,
  lagMs: undefined,
};

describe("Metrics of a replica", () => {
  it("are missing where there are no replicas", async () => {
    const rig = new MonitorRig();
    const { samples, types } = await rig.scrape();
    const names = [...types.keys(), ...samples.map(({ name }) => name)];
    expect(names.filter((name) => name.includes("replica"))).to.deep.equal([]);
  });

  it("tell the role, the epoch, the lease or the lag", async () => {
    let sample: ReplicaSample | undefined = passive;
    const rig = new MonitorRig({}, { replica: () => sample });
    const before = await rig.scrape();
    const roles = (scrape: typeof before): Record<string, number | undefined> =>
      Object.fromEntries(
        ["passive", "activating", "active", "stopped"].map((role) => [
          role,
          scrape.value("sequencer_replica_role", { role }),
        ]),
      );
    expect(roles(before)).to.deep.equal({
      passive: 1,
      activating: 0,
      active: 0,
      stopped: 0,
    });
    expect(before.value("sequencer_replica_epoch")).to.equal(3);
    expect(before.value("sequencer_replica_lag_turns")).to.equal(12);
    expect(before.value("sequencer_replica_lag_seconds")).to.equal(1.5);
    expect(before.value("sequencer_replica_lease_age_seconds")).to.equal(
      undefined,
    );

    sample = active;
    const after = await rig.scrape();
    expect(roles(after)).to.deep.equal({
      passive: 0,
      activating: 0,
      active: 1,
      stopped: 0,
    });
    expect(after.value("sequencer_replica_epoch")).to.equal(4);
    expect(after.value("sequencer_replica_lease_age_seconds")).to.equal(0.25);
    // The last values would look like those of today.
    expect(after.value("sequencer_replica_lag_turns")).to.equal(undefined);
    expect(after.value("sequencer_replica_lag_seconds")).to.equal(undefined);

    sample = undefined;
    const gone = await rig.scrape();
    expect(gone.value("sequencer_replica_epoch")).to.equal(undefined);
    expect(roles(gone)["active"]).to.equal(undefined);
  });

  it("count take-overs and steps down by their causes, from 0 on", async () => {
    const rig = new MonitorRig({}, { replica: () => passive });
    const takeovers = "sequencer_replica_takeovers_total";
    const steps = "sequencer_replica_step_downs_total";
    const before = await rig.scrape();
    for (const cause of ["start", "handover", "failover", "return"])
      expect(before.value(takeovers, { cause })).to.equal(0);
    for (const cause of ["lease-lost", "node-failed", "promotion", "stopped"])
      expect(before.value(steps, { cause })).to.equal(0);

    const { monitor } = rig;
    monitor.seeRole("passive", { cause: "started" });
    monitor.seeRole("activating", {
      cause: "lease-taken",
      takeover: "failover",
    });
    monitor.seeRole("active", { cause: "node-started" });
    monitor.seeRole("passive", { cause: "lease-lost" });
    monitor.seeRole("stopped", { cause: "stopped" });
    const { samples, value } = await rig.scrape();
    expect(value(takeovers, { cause: "failover" })).to.equal(1);
    expect(value(steps, { cause: "lease-lost" })).to.equal(1);
    const sumOf = (name: string): number =>
      samples
        .filter((one) => one.name === name)
        .reduce((sum, one) => sum + one.value, 0);
    expect(sumOf(takeovers)).to.equal(1);
    expect(sumOf(steps)).to.equal(1);
  });

  it("add up what was appended, and how long that took", async () => {
    const rig = new MonitorRig({}, { replica: () => active });
    rig.monitor.seeAppend({ turns: 2, bytes: 700, ms: 0.8 });
    rig.monitor.seeAppend({ turns: 1, bytes: 300, ms: 40 });
    const { value } = await rig.scrape();
    expect(value("sequencer_replica_appended_turns_total")).to.equal(3);
    expect(value("sequencer_replica_appended_bytes_total")).to.equal(1_000);
    const bucket = "sequencer_replica_append_seconds_bucket";
    expect(value(bucket, { le: "0.0005" })).to.equal(0);
    expect(value(bucket, { le: "0.001" })).to.equal(1);
    expect(value(bucket, { le: "0.05" })).to.equal(2);
    const seconds = value("sequencer_replica_append_seconds_sum") ?? 0;
    expect(Math.round(seconds * 1e9)).to.equal(40_800_000);
  });

  it("tell rebuilds, snapshots, and trouble until it is over", async () => {
    const rig = new MonitorRig({}, { replica: () => passive });
    const { monitor } = rig;
    const trouble = async (): Promise<readonly (number | undefined)[]> => {
      const { value } = await rig.scrape();
      return ["database", "outdated"].map((kind) =>
        value("sequencer_replica_trouble", { kind }),
      );
    };
    expect(await trouble()).to.deep.equal([0, 0]);
    const error = new Error("It is not there.");
    monitor.seeReplica({ type: "Trouble", error });
    expect(await trouble()).to.deep.equal([1, 0]);
    monitor.seeReplica({ type: "Outdated", error });
    expect(await trouble()).to.deep.equal([0, 1]);
    monitor.seeReplica({ type: "Trouble", error: undefined });
    expect(await trouble()).to.deep.equal([0, 0]);

    monitor.seeReplica({ type: "Rebuilt", reason: "", snapshot: undefined });
    monitor.seeReplica({ type: "SnapshotMade", sequence: 7 });
    monitor.seeReplica({ type: "SnapshotMade", sequence: 9 });
    monitor.seeReplica({ type: "SnapshotFailed", error });
    monitor.seeReplica({ type: "SnapshotRefused", sequence: 7, error });
    const { value } = await rig.scrape();
    expect(value("sequencer_replica_rebuilds_total")).to.equal(1);
    const snapshots = "sequencer_replica_snapshots_total";
    expect(value(snapshots, { outcome: "made" })).to.equal(2);
    expect(value(snapshots, { outcome: "failed" })).to.equal(1);
    expect(value(snapshots, { outcome: "refused" })).to.equal(1);
  });
});
