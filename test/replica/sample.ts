import { expect } from "chai";

import type { Takeover } from "../../src/replica/options.ts";
import type { ReplicaNode } from "../helpers/replica-node.ts";
import { ReplicaScene } from "../helpers/replica-scene.ts";
import { until } from "../torture/harness/processes/until.ts";

function takeoversOf({ changes }: ReplicaNode): readonly Takeover[] {
  return changes.flatMap(({ details: { takeover } }) => takeover ?? []);
}

/** Resolves when something holds that the replica does not tell by itself. */
async function comesTrue(what: string, holds: () => boolean): Promise<void> {
  await until({ what, deadlineMs: 20_000 }, () => (holds() ? true : undefined));
}

describe("The sample of a replica", function () {
  this.timeout(60_000);
  const scene = new ReplicaScene();
  const { started, active } = scene;

  it("has the age of its lease if it is active, and its lag if it is passive", async () => {
    const r1 = await active("r1");
    const { role, epoch, leaseAgeMs, lagTurns, lagMs } = r1.replica.sample();
    expect({ role, epoch, lagTurns, lagMs }).to.deep.equal({
      role: "active",
      epoch: 1,
      lagTurns: undefined,
      lagMs: undefined,
    });
    expect(leaseAgeMs).to.be.within(0, 1_000);

    const r2 = await started("r2");
    await comesTrue("r2 has all turns", () => {
      const sample = r2.replica.sample();
      return sample.lagTurns === 0 && sample.epoch === 1;
    });
    const passive = r2.replica.sample();
    expect(passive.role).to.equal("passive");
    expect(passive.leaseAgeMs).to.equal(undefined);
    expect(passive.lagMs).to.be.within(0, 20_000);
  });

  it("has a lag that grows while it cannot use the log", async () => {
    const r1 = await active("r1");
    const r2 = await started("r2");
    await comesTrue("r2 follows", () => r2.replica.sample().lagTurns === 0);
    await scene.server.query(
      `UPDATE ${scene.schema}.node SET store_format = store_format + 1`,
    );
    await r2.untilFact("Outdated");
    const { lagMs = 0 } = r2.replica.sample();
    await r1.saveMany(1, 4);
    await comesTrue("r2 lacks three", () => r2.replica.sample().lagTurns === 3);
    expect(r2.replica.sample().lagMs).to.be.greaterThan(lagMs);

    const mendedAt = performance.now();
    await scene.server.query(
      `UPDATE ${scene.schema}.node SET store_format = store_format - 1`,
    );
    await comesTrue("r2 follows", () => r2.replica.sample().lagTurns === 0);
    const after = r2.replica.sample();
    expect(after.lagMs).to.be.at.most(performance.now() - mendedAt);
  });

  it("does not take the time in which it was active for lag", async () => {
    const r1 = await active("r1");
    await r1.save(1);
    await comesTrue("it has been active for a while", () => {
      const { leaseAgeMs = 0 } = r1.replica.sample();
      return leaseAgeMs > 50;
    });
    const before = performance.now();
    await scene.server.query(
      `UPDATE ${scene.schema}.bucket SET epoch = epoch + 1, instance = 'another'`,
    );
    await r1.untilRole("passive");
    const { lagMs = Infinity } = r1.replica.sample();
    expect(lagMs).to.be.at.most(performance.now() - before);
  });

  it("comes with what was appended, and how long that took", async () => {
    const r1 = await active("r1");
    await r1.saveMany(1, 4);
    const { headSequence } = await r1.replica.status();
    const rows = await scene.server.query<{ readonly bytes: string }>(
      `SELECT sum(length(body)) AS bytes FROM ${scene.schema}.turn`,
    );
    const sumOf = (key: "turns" | "bytes"): number =>
      r1.appends.reduce((sum, append) => sum + append[key], 0);
    expect(sumOf("turns")).to.equal(headSequence);
    expect(sumOf("bytes")).to.equal(Number(rows[0]?.bytes));
    for (const { ms } of r1.appends) expect(ms).to.be.within(0.01, 20_000);
  });
});

describe("The cause of a take-over", function () {
  this.timeout(60_000);
  const scene = new ReplicaScene();
  const { started, active } = scene;

  it("is the start of the first replica, and a handover by one that is stopped", async () => {
    const r1 = await active("r1");
    const r2 = await started("r2");
    await r1.replica.stop();
    await r2.untilRole("active");
    expect(takeoversOf(r1)).to.deep.equal(["start"]);
    expect(takeoversOf(r2)).to.deep.equal(["handover"]);
  });

  it("is a failover if the last owner has not given the lease up", async () => {
    const r1 = await active("r1");
    // A process that is gone had it last.
    await scene.server.query(
      `UPDATE ${scene.schema}.bucket SET epoch = epoch + 1, instance = 'another'`,
    );
    await r1.until(() => takeoversOf(r1).length === 2);
    expect(takeoversOf(r1)).to.deep.equal(["start", "failover"]);
  });

  it("is a return if it had lost the lease itself", async () => {
    const r1 = await active("r1");
    const set = "ALTER SYSTEM SET default_transaction_read_only = on";
    const reset = "ALTER SYSTEM RESET default_transaction_read_only";
    await scene.server.query(set);
    try {
      await scene.server.query("SELECT pg_reload_conf()");
      await r1.untilRole("passive");
    } finally {
      await scene.server.query(reset);
      await scene.server.query("SELECT pg_reload_conf()");
    }
    await r1.untilRole("active");
    expect(takeoversOf(r1)).to.deep.equal(["start", "return"]);
  });
});
