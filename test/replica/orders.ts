import { expect } from "chai";
import pg from "pg";

import { OrderRefusal } from "../../src/replica/orders.ts";
import { quick, type ReplicaNode } from "../helpers/replica-node.ts";
import { ReplicaScene } from "../helpers/replica-scene.ts";
import { until } from "../torture/harness/processes/until.ts";
import { readElection } from "../../src/supervisor/election-view.ts";
import { announceEnd, endHolder, stopLog } from "../../src/supervisor/fence.ts";
import { switchElection } from "../../src/supervisor/switch.ts";

const otherHash = "f".repeat(64);

/** What is wrong with an order that is refused. */
async function problemOf(order: Promise<unknown>): Promise<string> {
  try {
    await order;
  } catch (error) {
    if (error instanceof OrderRefusal) return error.problem;
    throw error;
  }
  throw new Error("It was not refused.");
}

describe("Orders to replicas", function () {
  this.timeout(60_000);
  const scene = new ReplicaScene();
  const { started, active } = scene;
  let client: pg.Client;

  beforeEach(async () => {
    client = new pg.Client({ connectionString: scene.server.url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
  });

  const place = (): { schema: string; bucket: number } => ({
    schema: scene.schema,
    bucket: 0,
  });
  const view = async (): ReturnType<typeof readElection> =>
    await readElection(client, place());
  const turnElection = async (isOn: boolean): Promise<boolean> =>
    await switchElection(client, { ...place(), isOn, by: "a test" });

  /** An active replica with some turns, and a passive one that has them too. */
  async function two(): Promise<{ r1: ReplicaNode; r2: ReplicaNode }> {
    const r1 = await active("r1");
    await r1.saveMany(1, 4);
    const r2 = await started("r2");
    await untilEqual(r1, r2);
    return { r1, r2 };
  }

  async function untilEqual(...nodes: readonly ReplicaNode[]): Promise<void> {
    const { head } = await view();
    await until({ what: "they have all turns", deadlineMs: 20_000 }, () =>
      nodes.every(({ replica }) => replica.place().applied.hash === head.hash)
        ? true
        : undefined,
    );
  }

  it("stop the log at its last turn, and open it again at another replica", async () => {
    const { r1, r2 } = await two();
    const head = await r1.replica.revoke();
    expect(r1.changes.at(-1)?.details.cause).to.equal("revoked");
    const stopped = await view();
    expect(stopped.isStopped).to.equal(true);
    expect(stopped.head).to.deep.equal(head);
    expect(stopped.master).to.equal(undefined);

    const epoch = await r2.replica.grant({
      hash: stopped.head.hash,
      epoch: stopped.epoch,
    });
    expect(epoch).to.equal(stopped.epoch + 1);
    await r2.untilRole("active");
    expect(r2.saved()).to.deep.equal([1, 2, 3]);
    await r2.save(4);
    expect((await view()).isStopped).to.equal(false);
  });

  it("are refused by a replica that has another hash, or is not passive", async () => {
    const { r1, r2 } = await two();
    expect(await problemOf(r2.replica.revoke())).to.equal("not-active");
    const { head } = await view();
    const asked = { hash: head.hash, epoch: undefined };
    expect(await problemOf(r1.replica.grant(asked))).to.equal("not-passive");
    // The log is open.
    expect(await problemOf(r2.replica.grant(asked))).to.equal("not-stopped");

    await r1.replica.revoke();
    const wrong = { hash: otherHash, epoch: undefined };
    expect(await problemOf(r2.replica.grant(wrong))).to.equal("other-hash");
    const { epoch } = await view();
    const old = { hash: (await view()).head.hash, epoch: epoch - 1 };
    expect(await problemOf(r2.replica.grant(old))).to.equal("not-stopped");
    expect((await view()).isStopped).to.equal(true);
  });

  it("wait for as long as a master that was fenced may still answer", async () => {
    const { r1, r2 } = await two();
    await r1.untilCertain();
    const { epoch } = await view();
    await stopLog(client, { ...place(), epoch, isWished: false });
    const { head, epoch: stopped, trustedForMs } = await view();
    expect(trustedForMs).to.be.greaterThan(0);
    await endHolder(client, place());
    const grant = { hash: head.hash, epoch: stopped };
    await until({ what: "r2 is granted", deadlineMs: 20_000 }, async () => {
      const begun = await r2.replica.grant(grant);
      expect(r1.replica.isCertain).to.equal(false);
      return begun;
    });
  });

  it("begin one epoch only, however many replicas are granted", async () => {
    const { r1, r2 } = await two();
    const r3 = await started("r3");
    await r1.replica.revoke();
    await untilEqual(r2, r3);
    const { head, epoch } = await view();
    const grant = { hash: head.hash, epoch };
    const outcomes = await Promise.allSettled(
      [r1, r2, r3].map(async ({ replica }) => await replica.grant(grant)),
    );
    const begun = outcomes.filter(({ status }) => status === "fulfilled");
    expect(begun).to.deep.equal([{ status: "fulfilled", value: epoch + 1 }]);
  });

  it("are not needed to stop a log: its master appends nothing after the fence", async () => {
    const { r1, r2 } = await two();
    const { epoch } = await view();
    const ending = { ...place(), epoch, isWished: false };
    expect(await stopLog(client, { ...ending, epoch: epoch - 1 })).to.equal(
      false,
    );
    expect(await stopLog(client, ending)).to.equal(true);
    expect(await stopLog(client, ending)).to.equal(false);
    const { head, epoch: stopped } = await view();
    const late = await r1.save(4).then(
      () => "saved",
      () => "refused",
    );
    expect(late).to.equal("refused");
    await endHolder(client, place());
    await r1.untilRole("passive");
    expect((await view()).head).to.deep.equal(head);
    await until({ what: "the lock is free", deadlineMs: 20_000 }, async () =>
      (await view()).isLocked ? undefined : true,
    );
    const grant = { hash: head.hash, epoch: stopped };
    // As if the last master had shown a sign of life just now.
    await client.query(
      `UPDATE ${scene.schema}.election SET trusted_until = clock_timestamp() + interval '1 hour'`,
    );
    expect((await view()).trustedForMs).to.be.greaterThan(0);
    expect(await problemOf(r2.replica.grant(grant))).to.equal("not-stopped");
    await endHolder(client, place());
    await client.query(
      `UPDATE ${scene.schema}.election SET trusted_until = clock_timestamp()`,
    );
    await r2.replica.grant(grant);
    await r2.untilRole("active");
    expect(r2.saved()).to.deep.equal([1, 2, 3]);
  });

  it("do not let others take a free lease while elections are stopped, but its last owner", async () => {
    const { r1, r2 } = await two();
    expect(await turnElection(false)).to.equal(true);
    expect(await turnElection(false)).to.equal(false);
    const { epoch } = await view();
    // Its owner regains a lease that it lost.
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hardhat-sequencer r1'",
    );
    await r1.save(4);
    expect((await view()).epoch).to.equal(epoch);
    await r1.replica.stop();
    const { length } = r2.changes;
    const beganAt = performance.now();
    while (performance.now() - beganAt < 3 * quick.graceMs)
      await r2.replica.status();
    expect(r2.changes.length).to.equal(length);
    expect((await view()).master).to.equal(undefined);
    const again = await started("r1");
    await again.untilRole("active");
    expect(again.saved()).to.deep.equal([1, 2, 3, 4]);
  });

  it("let a passive replica take the free lease when elections are started again", async () => {
    const { r1, r2 } = await two();
    await turnElection(false);
    await r1.replica.stop();
    expect(await turnElection(true)).to.equal(true);
    await r2.untilRole("active");
  });

  it("of a supervisor that was frozen are refused by a master that nobody is about to replace", async () => {
    const { r1 } = await two();
    const { epoch } = await view();
    const ending = { ...place(), epoch, isWished: false };
    expect(await problemOf(r1.replica.revoke(epoch))).to.equal("not-asked");
    expect(await announceEnd(client, { ...ending, epoch: 7 })).to.equal(false);
    expect(await announceEnd(client, ending)).to.equal(true);
    // Elections are stopped after the supervisor has decided.
    await turnElection(false);
    expect(await problemOf(r1.replica.revoke(epoch))).to.equal("not-asked");
    expect(await announceEnd(client, ending)).to.equal(false);
    expect(await stopLog(client, ending)).to.equal(false);
    await r1.save(4);
    expect(await view()).to.include({ master: "r1", epoch });
    // A wish of an operator counts also then.
    const wished = { ...ending, isWished: true };
    expect(await announceEnd(client, wished)).to.equal(true);
    await r1.replica.revoke(epoch);
    expect((await view()).isStopped).to.equal(true);
  });

  it("make grants worthless that were on their way when elections were stopped", async () => {
    const { r1, r2 } = await two();
    await r1.replica.revoke();
    await untilEqual(r2);
    const { head, epoch } = await view();
    await turnElection(false);
    const late = { hash: head.hash, epoch };
    expect(await problemOf(r2.replica.grant(late))).to.equal("not-stopped");
    // An operator can open the log all the same.
    await r2.replica.grant({ hash: head.hash, epoch: undefined });
    await r2.untilRole("active");
  });
});
