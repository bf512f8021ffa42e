import { existsSync, rmSync, writeFileSync } from "node:fs";

import { expect } from "chai";

import { type ReplicaError } from "../../src/replica/errors.ts";
import { promote } from "../../src/replica/promote.ts";
import { openSession } from "../../src/replica/session.ts";
import { PostgresServer } from "../helpers/postgres.ts";
import { newSchema } from "../helpers/replica.ts";
import { aNode, quick, type ReplicaNode } from "../helpers/replica-node.ts";
import { ReplicaScene } from "../helpers/replica-scene.ts";
import { nodeName } from "../helpers/stores.ts";

describe("A replica", function () {
  this.timeout(60_000);
  const scene = new ReplicaScene();
  const { aReplica, started, active } = scene;

  it("is active when nobody else is, and passive while another one is", async () => {
    const r1 = await active("r1");
    expect(r1.changes.map(({ role }) => role)).to.deep.equal([
      "passive",
      "activating",
      "active",
    ]);
    await r1.untilCertain();
    const r2 = await started("r2");
    await r1.save(1);
    const head = (await r1.replica.status()).headSequence;
    for (;;) {
      const status = await r2.replica.status();
      const r2Row = status.replicas.find(({ name }) => name === "r2");
      expect(status.active).to.equal("r1");
      if (r2Row?.appliedSequence === head) break;
    }
    expect(r2.replica.role).to.equal("passive");
    expect(r2.replica.isCertain).to.equal(false);

    await r1.replica.stop();
    expect(r1.replica.role).to.equal("stopped");
    await r2.untilRole("active");
    expect(r2.saved()).to.deep.equal([1]);
    expect(r2.store?.boot).to.equal(2);
  });

  async function errorOf(work: Promise<unknown>): Promise<ReplicaError> {
    try {
      await work;
    } catch (error) {
      return error as ReplicaError;
    }
    throw new Error("It went well.");
  }

  async function promoted(name: string): Promise<void> {
    const client = await openSession({
      url: scene.server.url,
      name: "operator",
      idleMs: undefined,
      requestMs: 5_000,
    });
    try {
      await promote(client, {
        schema: scene.schema,
        bucket: 0,
        name,
        ...quick,
      });
    } finally {
      await client.end();
    }
  }

  /** Resolves when a replica has shown itself with this role. */
  async function seen(node: ReplicaNode, name: string): Promise<void> {
    for (;;) {
      const { replicas } = await node.replica.status();
      if (replicas.some((one) => one.name === name)) return;
    }
  }

  describe("in a planned change", () => {
    it("leaves the lease to the one that is wanted, and takes it back, without a long pause", async () => {
      const pauses: number[] = [];
      let refusesSince = 0;
      const timed = (name: string): ReplicaNode => {
        const node = aReplica(name);
        void (async () => {
          for (const [from, to] of [["active", "passive"]] as const)
            for (;;) {
              await node.untilRole(from);
              pauses.push(performance.now() - refusesSince);
              await node.until(() => node.replica.role !== from);
              refusesSince = performance.now();
              if (node.replica.role !== to) return;
            }
        })();
        return node;
      };
      const [r1, r2, r3] = [timed("r1"), timed("r2"), timed("r3")];
      await r1.replica.start();
      await r1.untilRole("active");
      await r2.replica.start();
      await r3.replica.start();
      await seen(r1, "r2");
      await seen(r1, "r3");
      let n = 0;
      for (const [from, to] of [
        [r1, "r2"],
        [r2, "r1"],
        [r1, "r3"],
        [r3, "r2"],
      ] as const) {
        await from.save(++n);
        await promoted(to);
        expect(from.replica.role).to.equal("passive");
        expect(from.changes.at(-1)?.details.heir).to.equal(to);
        const next = { r1, r2, r3 }[to];
        await next.untilRole("active");
        expect(next.saved()).to.have.length(n);
        await seen(next, "r1");
      }
      // Nobody else took it in between.
      expect((await r1.replica.status()).epoch).to.equal(5);
      const [, ...changes] = pauses;
      expect(changes).to.have.length(4);
      // One that waited for the processor does not count.
      expect(Math.min(...changes)).to.be.below(500);
    });

    it("leaves nothing behind that the log does not have", async () => {
      const r1 = await active("r1");
      const r2 = await started("r2");
      await seen(r1, "r2");
      // Nobody waits for this.
      r1.store?.write(() => r1.store?.peers.save(nodeName("bob"), 7));
      await promoted("r2");
      await r2.untilRole("active");
      expect(r2.store?.peers.list().size).to.equal(1);
      await promoted("r1");
      await r1.untilRole("active");
      expect(r1.facts).to.deep.equal([]);
    });

    it("has failed if the node of the one that is wanted does not start", async () => {
      const r1 = await active("r1");
      const r2 = await started(
        "r2",
        {},
        {
          activate: () => async () => {
            await Promise.resolve();
            throw new Error("The chain is away.");
          },
        },
      );
      await seen(r1, "r2");
      const { code, message } = await errorOf(promoted("r2"));
      expect(code).to.equal("NOT_PROMOTED");
      expect(message).to.include("its node has not started");
      await r1.untilRole("active");
      await r1.save(1);
      expect(r1.changes.filter(({ role }) => role === "active")).to.have.length(
        2,
      );
      expect(r2.changes.some(({ role }) => role === "active")).to.equal(false);
    });

    it("leaves the lease only once to one that does not take it", async () => {
      const r1 = await active("r1");
      const r2 = await started("r2");
      await seen(r1, "r2");
      // It shows itself, and does not look at the lease.
      await scene.server.query(
        `INSERT INTO ${scene.schema}.replica (name, instance, version, role, applied_sequence, seen)
           SELECT 'r3', 'another', '1.0.0', 'passive', head_sequence, clock_timestamp() + interval '1 minute' FROM ${scene.schema}.bucket;
         UPDATE ${scene.schema}.bucket SET wanted = 'r3', wanted_at = clock_timestamp()`,
      );
      await r1.until(() =>
        r1.changes.some(({ details: { cause } }) => cause === "promotion"),
      );
      for (;;) {
        const { active: name } = await r1.replica.status();
        if (name !== undefined) break;
      }
      await Promise.race([r1.untilRole("active"), r2.untilRole("active")]);
      const before = [r1, r2].flatMap(({ changes }) => changes);
      // Several looks for wishes.
      for (const node of [r1, r2])
        for (let n = 0; n < 20; n++) {
          await node.replica.status();
          await new Promise((resolve) => setTimeout(resolve, quick.pollMs / 4));
        }
      const after = [r1, r2].flatMap(({ changes }) => changes);
      expect(after).to.deep.equal(before);
    });

    it("changes nothing if there is no such replica", async () => {
      const r1 = await active("r1");
      await seen(r1, "r1");
      const { code, message } = await errorOf(promoted("r2"));
      expect(code).to.equal("NO_REPLICA");
      expect(message).to.include("r2").and.to.include("knows r1");
      await promoted("r1");
      expect(r1.replica.role).to.equal("active");
      expect((await r1.replica.status()).epoch).to.equal(1);
      await r1.save(1);
    });

    it("changes nothing if the replica has not been seen for longer than a lease", async () => {
      const r1 = await active("r1");
      const r2 = await started("r2");
      await seen(r1, "r2");
      await r2.replica.stop();
      expect((await errorOf(promoted("r2"))).code).to.equal("NO_REPLICA");
      expect(r1.replica.role).to.equal("active");
    });
  });

  describe("that loses its lease", () => {
    it("goes on without a restart if only its session was ended", async () => {
      const r1 = await active("r1");
      await started("r2");
      for (let n = 1; n <= 3; n++) {
        await scene.server.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'hardhat-sequencer r1%'",
        );
        await r1.save(n);
      }
      expect(r1.replica.role).to.equal("active");
      expect(r1.changes).to.have.length(3);
      expect((await r1.replica.status()).epoch).to.equal(1);
    });

    it("is passive before anything is torn down, and follows then", async () => {
      const seenRoles: string[] = [];
      const r1: ReplicaNode = aReplica(
        "r1",
        {},
        {
          activate: (plain) => async (openDisk, fail) => {
            seenRoles.push(r1.replica.role);
            const node = await plain(openDisk, fail);
            return {
              deactivate: async () => {
                seenRoles.push(r1.replica.role);
                await node.deactivate();
              },
            };
          },
        },
      );
      await r1.replica.start();
      await r1.untilRole("active");
      await r1.save(1);
      // Another process has begun an epoch, and its first turn is on the way.
      await scene.server.query(
        `UPDATE ${scene.schema}.bucket SET epoch = epoch + 1, instance = 'another'`,
      );
      const failure = await errorOf(r1.save(2));
      expect(failure.code).to.equal("LOST");
      expect(r1.replica.role).to.equal("passive");
      await r1.until(() =>
        r1.changes.some(({ details: { cause } }) => cause === "lease-lost"),
      );
      // Its file was ahead of the log then.
      const { reason } = await r1.untilFact("Rebuilt");
      expect(reason).to.include("not in the log");
      await r1.untilRole("active");
      expect(seenRoles).to.deep.equal(["activating", "passive", "activating"]);
      expect(r1.saved()).to.deep.equal([1]);
      await r1.save(3);
    });

    it("writes nothing and is not sure of itself when the server is read-only", async () => {
      const r1 = await active("r1");
      await r1.save(1);
      await scene.server.query(
        "ALTER SYSTEM SET default_transaction_read_only = on",
      );
      try {
        await scene.server.query("SELECT pg_reload_conf()");
        await r1.untilRole("passive");
        expect(r1.replica.isCertain).to.equal(false);
        expect(r1.changes.at(-1)?.details.cause).to.equal("lease-lost");
      } finally {
        await scene.server.query(
          "ALTER SYSTEM RESET default_transaction_read_only",
        );
        await scene.server.query("SELECT pg_reload_conf()");
      }
      await r1.untilRole("active");
      expect(r1.saved()).to.deep.equal([1]);
      await r1.save(2);
    });

    it("goes on without a restart after the server was killed and started again", async () => {
      const own = await PostgresServer.start();
      try {
        const ownSchema = await newSchema(own);
        const settings = {
          url: own.url,
          schema: ownSchema,
          leaseMs: 10_000,
          graceMs: 5_000,
        };
        const r1 = await active("r1", settings);
        const r2 = await started("r2", settings);
        await r1.save(1);
        await own.kill("SIGKILL");
        const saved = r1.save(2);
        await own.resume();
        await saved;
        expect(r1.replica.role).to.equal("active");
        expect(r1.changes).to.have.length(3);
        expect((await r1.replica.status()).epoch).to.equal(1);
        expect(r2.replica.role).to.equal("passive");
        await r1.replica.stop();
        await r2.untilRole("active");
        expect(r2.saved()).to.deep.equal([1, 2]);
        await r2.replica.stop();
      } finally {
        await own.stop();
      }
    });

    it("ends its process if the node does not end within a lease", async () => {
      const ends: (() => void)[] = [];
      const r1 = await active(
        "r1",
        {},
        {
          activate: (plain) => async (openDisk, fail) => {
            const node = await plain(openDisk, fail);
            return {
              deactivate: async () => {
                await new Promise<void>((resolve) => {
                  ends.push(resolve);
                });
                await node.deactivate();
              },
            };
          },
        },
      );
      const r2 = await started("r2");
      await scene.server.query(
        `UPDATE ${scene.schema}.bucket SET epoch = epoch + 1, instance = 'another'`,
      );
      try {
        await r2.untilRole("active");
        expect(r1.replica.role).to.equal("passive");
        await r1.until(() => r1.exits.length > 0);
        expect(r1.exits[0]?.message).to.include("lease-lost");
      } finally {
        for (const end of ends) end();
      }
    });
  });

  it("has no session any more when it has stopped, whoever asks it", async () => {
    const r1 = await active("r1");
    const asked = r1.replica.status().catch(() => undefined);
    await r1.replica.stop();
    await asked;
    await errorOf(r1.replica.status());
    for (;;) {
      const sessions = await scene.server.query(
        "SELECT FROM pg_stat_activity WHERE application_name LIKE 'hardhat-sequencer r1%'",
      );
      if (sessions.length === 0) break;
    }
  });

  describe("that takes over", () => {
    for (const table of ["replica", "snapshot"])
      it(`needs nothing for it from the table ${table}`, async () => {
        const r1 = await active("r1");
        const follower = await started("r2");
        while (follower.replica.sample().lagTurns !== 0)
          await r1.replica.status();
        await follower.replica.stop();
        const locker = await openSession({
          url: scene.server.url,
          name: "locker",
          idleMs: undefined,
          requestMs: 5_000,
        });
        try {
          await locker.query(
            `BEGIN; LOCK TABLE ${scene.schema}.${table} IN ACCESS EXCLUSIVE MODE`,
          );
          const r2 = await started("r2");
          await r2.untilFact("Trouble");
          const stopped = r1.replica.stop();
          await r2.untilRole("active");
          await stopped;
        } finally {
          await locker.end();
        }
      });
  });

  describe("whose node does not start", () => {
    it("leaves the lease to others for a while", async () => {
      const r1 = await started(
        "r1",
        {},
        {
          activate: () => async () => {
            await Promise.resolve();
            throw new Error("The chain is away.");
          },
        },
      );
      await r1.until(() =>
        r1.changes.some(({ details: { cause } }) => cause === "node-failed"),
      );
      const r2 = await active("r2");
      expect((await r2.replica.status()).active).to.equal("r2");
      expect(r1.exits).to.deep.equal([]);
    });

    it("is not ended for being slow, as long as it has the lease", async () => {
      let begin: () => void = () => undefined;
      const begun = new Promise<void>((resolve) => (begin = resolve));
      const slow = { leaseMs: 400, graceMs: 400 };
      const r1 = await started("r1", slow, {
        activate: (plain) => async (openDisk, fail) => {
          const node = await plain(openDisk, fail);
          await begun;
          return node;
        },
      });
      await r1.untilRole("activating");
      const r2 = await started("r2", slow);
      // Several leases long.
      for (let look = 0; look < 5; look++) {
        const before = (await r2.replica.status()).replicas;
        while (
          (await r2.replica.status()).replicas.every(
            ({ name, seenMsAgo }) =>
              seenMsAgo >=
              (before.find((one) => one.name === name)?.seenMsAgo ?? 0),
          )
        );
      }
      begin();
      await r1.untilRole("active");
      expect(r1.exits).to.deep.equal([]);
      expect(r2.replica.role).to.equal("passive");
    });
  });

  describe("that is not where its log is", () => {
    it("makes a file again that was deleted", async () => {
      const r1 = await active("r1");
      const r2 = await started("r2");
      for (let n = 1; n <= 5; n++) await r1.save(n);
      await r2.replica.stop();
      const file = scene.fileOf("r2");
      for (const suffix of ["", "-wal", "-shm"])
        rmSync(`${file}${suffix}`, { force: true });
      const again = await started("r2");
      await r1.replica.stop();
      await again.untilRole("active");
      expect(existsSync(file)).to.equal(true);
      expect(again.saved()).to.deep.equal([1, 2, 3, 4, 5]);
    });

    it("makes a file again that is damaged", async () => {
      const r1 = await active("r1");
      await r1.save(1);
      await r1.replica.stop();
      const file = scene.fileOf("r1");
      writeFileSync(file, "This is no database.");
      const again = await active("r1");
      await again.untilFact("Rebuilt");
      expect(again.saved()).to.deep.equal([1]);
    });

    /** The database as it was after some turn. */
    async function forget(after: number): Promise<void> {
      await scene.server.query(
        `DELETE FROM ${scene.schema}.turn WHERE sequence > ${after};
         UPDATE ${scene.schema}.bucket SET head_sequence = ${after},
           head_hash = (SELECT hash FROM ${scene.schema}.turn WHERE sequence = ${after})`,
      );
    }

    async function headOf(node: ReplicaNode): Promise<number> {
      return (await node.replica.status()).headSequence;
    }

    it("stops if the database has forgotten turns that were durable, and says which", async () => {
      const r1 = await active("r1");
      for (let n = 1; n <= 4; n++) await r1.save(n);
      const head = await headOf(r1);
      await r1.replica.stop();
      await forget(head - 2);
      const again = await started("r1");
      const { error } = await again.untilRole("stopped");
      expect(error).to.have.property("code", "FORGOTTEN");
      expect(String(error)).to.include(`turns ${head - 1}–${head}`);
      // Its own copy is still there.
      expect(existsSync(scene.fileOf("r1"))).to.equal(true);
    });

    it("stops also if its file was deleted, or others have gone on since", async () => {
      const r1 = await active("r1");
      for (let n = 1; n <= 4; n++) await r1.save(n);
      const head = await headOf(r1);
      await r1.replica.stop();
      await forget(head - 2);
      const r2 = await active("r2");
      for (let n = 5; n <= 8; n++) await r2.save(n);
      rmSync(scene.fileOf("r1"));
      const again = await started("r1");
      const { error } = await again.untilRole("stopped");
      expect(error).to.have.property("code", "FORGOTTEN");
      expect(String(error)).to.include(`turn ${head} `);
    });

    it("stops while it is passive, and does not take the lease of such a log", async () => {
      const r1 = await active("r1");
      const r2 = await started("r2");
      for (let n = 1; n <= 4; n++) await r1.save(n);
      const head = await headOf(r1);
      while (
        (await r1.replica.status()).replicas.find(({ name }) => name === "r2")
          ?.appliedSequence !== head
      );
      await forget(head - 1);
      const { error } = await r2.untilRole("stopped");
      expect(error).to.have.property("code", "FORGOTTEN");
      expect((await errorOf(r1.save(5))).code).to.equal("LOST");
      const own = await r1.untilRole("stopped");
      expect(own.error).to.have.property("code", "FORGOTTEN");
    });
  });

  describe("of another kind", () => {
    it("is refused if it is another node, with all that differs", async () => {
      await started("r1");
      const other = aReplica("r2", {
        node: { ...aNode, chainId: 1n, walletPrint: "another secret" },
      });
      const { code, message } = await errorOf(other.replica.start());
      expect(code).to.equal("REPLICA_KEYS_DIFFER");
      expect(message)
        .to.include("the id of its chain (1 here, 31337 there)")
        .and.include("the secret of its wallet")
        .and.not.include("another secret")
        .and.not.include("identity");
      const same = aReplica("r3", {
        node: { ...aNode, factory: aNode.factory.toLowerCase() },
      });
      await same.replica.start();
    });

    it("stays passive if a newer version has written the log, and says so", async () => {
      const newer = await active("r1", { node: { ...aNode, storeFormat: 2 } });
      const older = await started("r2");
      const { error } = await older.untilFact("Outdated");
      expect(String(error)).to.include("schema 2");
      await seen(newer, "r2");
      expect((await errorOf(promoted("r2"))).code).to.equal("NO_REPLICA");
      await newer.replica.stop();
      const { replicas, active: owner } = await older.replica.status();
      expect(owner).to.equal(undefined);
      expect(replicas.map(({ role }) => role)).to.deep.equal([
        "stopped",
        "outdated",
      ]);
      expect(older.replica.role).to.equal("passive");
      const updated = await active("r3", {
        node: { ...aNode, storeFormat: 2 },
      });
      expect(updated.replica.role).to.equal("active");
    });
  });
});
