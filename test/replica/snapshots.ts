import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";

import { expect } from "chai";
import pg from "pg";

import { openSession } from "../../src/replica/session.ts";
import { makeSnapshot } from "../../src/replica/snapshot.ts";
import type { Head } from "../../src/store/log/chain.ts";
import { openMachineDisk } from "../../src/store/disk.ts";
import { openStore } from "../../src/store/store.ts";
import type { ReplicaNode } from "../helpers/replica-node.ts";
import { ReplicaScene } from "../helpers/replica-scene.ts";

/** After about twenty turns. */
const often = { snapshotBytes: 20_000 } as const;

describe("A snapshot of a replica", function () {
  this.timeout(60_000);
  const scene = new ReplicaScene();
  const { started, active } = scene;

  interface Row {
    readonly sequence: string;
    readonly made_by: string;
  }

  async function snapshots(): Promise<readonly Row[]> {
    return await scene.server.query<Row>(
      `SELECT sequence, made_by FROM ${scene.schema}.snapshot ORDER BY sequence`,
    );
  }

  async function firstTurn(): Promise<number> {
    const [row] = await scene.server.query<{ readonly first: string }>(
      `SELECT min(sequence) AS first FROM ${scene.schema}.turn`,
    );
    return Number(row?.first);
  }

  /** Writes turns until there are so many snapshots, and turns were trimmed. */
  async function withSnapshots(
    node: ReplicaNode,
    count: number,
  ): Promise<void> {
    for (let n = 0; ; n += 10) {
      await node.saveMany(n, n + 10);
      const found = await snapshots();
      const [, ...later] = found;
      const isTrimmed = later.length === 0 || (await firstTurn()) > 1;
      if (found.length >= count && isTrimmed) return;
    }
  }

  /** Makes one now. */
  async function snapshotOf(
    name: string,
    database: DatabaseSync,
  ): Promise<Head | undefined> {
    const client = await openSession({
      url: scene.server.url,
      name: "snapshot",
      idleMs: undefined,
      requestMs: 5_000,
    });
    try {
      return await makeSnapshot(
        { schema: scene.schema, bucket: 0, name, file: scene.fileOf(name) },
        {
          client,
          database,
          settled: async () => {
            await Promise.resolve();
          },
        },
      );
    } finally {
      await client.end();
    }
  }

  /** Writes turns, and makes as many snapshots in between. */
  async function withExactly(count: number, node: ReplicaNode): Promise<void> {
    for (let n = 0; n < count; n++) {
      await node.saveMany(10 * n, 10 * n + 10);
      const head = await snapshotOf("r1", node.database);
      expect(head).to.not.equal(undefined);
    }
    expect(await snapshots()).to.have.length(Math.min(count, 2));
  }

  /** Another replica takes over; it must have all that the first one had. */
  async function expectTakeover(
    node: ReplicaNode,
    next: ReplicaNode,
  ): Promise<void> {
    const before = node.tables();
    await node.replica.stop();
    await next.untilRole("active");
    expect(next.tables()).to.deep.equal(before);
  }

  async function spoil(which: "oldest" | "newest"): Promise<void> {
    await scene.server.query(
      `UPDATE ${scene.schema}.snapshot_part SET bytes = set_byte(bytes, 5000, (get_byte(bytes, 5000) + 1) % 256)
       WHERE part = 0 AND sequence = (SELECT ${which === "newest" ? "max" : "min"}(sequence) FROM ${scene.schema}.snapshot)`,
    );
  }

  it("is made by a passive replica, and a third one starts from it and the turns after it", async () => {
    // Much later: it would make one itself at last.
    const r1 = await active("r1", { snapshotBytes: 500_000 });
    const r2 = await started("r2", often);
    await withSnapshots(r1, 1);
    await r2.replica.stop();
    const row = (await snapshots()).at(-1);
    expect(row?.made_by).to.equal("r2");
    await r1.saveMany(10_000, 10_005);
    const r3 = await started("r3");
    const { snapshot } = await r3.untilFact("Rebuilt");
    expect(snapshot).to.equal(Number(row?.sequence));
    await expectTakeover(r1, r3);
    const file = scene.fileOf("r3");
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    // Nothing of the way there is left.
    const left = readdirSync(dirname(file)).filter((name) =>
      /snapshot|restoring/.test(name),
    );
    expect(left).to.deep.equal([]);
  });

  it("is made by the active replica if it is alone, and turns that nobody needs are deleted", async () => {
    const r1 = await active("r1", often);
    await withSnapshots(r1, 2);
    // The next one may be on its way.
    await r1.replica.stop();
    const found = await snapshots();
    expect(new Set(found.map((one) => one.made_by))).to.deep.equal(
      new Set(["r1"]),
    );
    expect(await firstTurn()).to.be.within(2, Number(found[1]?.sequence));
    const again = await active("r1");
    await expectTakeover(again, await started("r2"));
  });

  it("brings a replica on that was away for too long", async () => {
    const r1 = await active("r1");
    const r2 = await started("r2");
    await r1.save(1);
    await r2.replica.stop();
    await withExactly(3, r1);
    const again = await started("r2");
    const { reason } = await again.untilFact("Rebuilt");
    expect(reason).to.include("trimmed");
    await expectTakeover(r1, again);
  });

  it("is refused if its bytes are others, and the one before it is used", async () => {
    const r1 = await active("r1");
    await withExactly(2, r1);
    await spoil("newest");
    const [oldest] = await snapshots();
    const r2 = await started("r2");
    const { error } = await r2.untilFact("SnapshotRefused");
    expect(error).to.have.property("code", "SNAPSHOT");
    const { snapshot } = await r2.untilFact("Rebuilt");
    expect(snapshot).to.equal(Number(oldest?.sequence));
    await expectTakeover(r1, r2);
  });

  it("is refused if a part is missing, and all turns are used if they are there", async () => {
    const r1 = await active("r1");
    await withExactly(1, r1);
    await scene.server.query(
      `DELETE FROM ${scene.schema}.snapshot_part WHERE part = 0`,
    );
    const r2 = await started("r2");
    await r2.untilFact("SnapshotRefused");
    await expectTakeover(r1, r2);
  });

  it("stops a replica that nothing else can bring on", async () => {
    const r1 = await active("r1");
    await withExactly(2, r1);
    await r1.replica.stop();
    await spoil("newest");
    await spoil("oldest");
    rmSync(scene.fileOf("r1"));
    const again = await started("r1");
    const { error } = await again.untilRole("stopped");
    expect(error).to.have.property("code", "NO_SOURCE");
  });

  it("does not take the place of the last copy if it cannot be used", async () => {
    const r1 = await active("r1");
    await withExactly(2, r1);
    const count = r1.saved().length;
    await spoil("newest");
    await spoil("oldest");
    const another = new pg.Client({ connectionString: scene.server.url });
    await another.connect();
    await another.query("BEGIN");
    await another.query(
      `UPDATE ${scene.schema}.bucket SET epoch = epoch + 1, instance = 'another'`,
    );
    // The store is ahead of the log then, before its replica can notice anything.
    const saving = r1.save(100_000).catch(() => "refused");
    await another.query("COMMIT");
    await another.end();
    expect(await saving).to.equal("refused");
    const { error } = await r1.untilRole("stopped");
    expect(error).to.have.property("code", "NO_SOURCE");
    await r1.replica.stop();
    const file = new DatabaseSync(scene.fileOf("r1"));
    const [row] = file.prepare("SELECT count(*) AS n FROM records").all();
    file.close();
    expect(row?.["n"]).to.equal(count + 1);
  });

  it("is no snapshot before it is complete, and what is left of one goes with the next", async () => {
    const r1 = await active("r1");
    await r1.save(1);
    await scene.server.query(
      `INSERT INTO ${scene.schema}.snapshot_part VALUES (0, 2, 0, 'half')`,
    );
    const r2 = await started("r2");
    await expectTakeover(r1, r2);
    expect(r2.facts.map(({ type }) => type)).not.to.include("SnapshotRefused");
    await r2.replica.stop();
    const r3 = await active("r3", often);
    await withSnapshots(r3, 1);
    const parts = await scene.server.query(
      `SELECT DISTINCT sequence FROM ${scene.schema}.snapshot_part`,
    );
    const kept = await snapshots();
    expect(parts).to.deep.equal(kept.map(({ sequence }) => ({ sequence })));
  });

  it("is not made of turns that are not durable", async () => {
    const r1 = await active("r1");
    await r1.save(1);
    await r1.replica.stop();
    // The store of an active replica whose last turn was refused.
    const file = scene.fileOf("r1");
    const disk = openMachineDisk(file);
    const store = openStore(
      { file },
      {
        randomBytes,
        openDisk: () => ({ ...disk, record: () => undefined }),
      },
    );
    expect(await snapshotOf("r1", disk.database)).to.equal(undefined);
    expect(await snapshots()).to.deep.equal([]);
    store.close();
  });

  it("deletes what nobody needs bit by bit, however much that is", async () => {
    const { schema, server } = scene;
    const r1 = await active("r1");
    await withExactly(2, r1);
    await r1.saveMany(20, 150);
    await server.query(
      `INSERT INTO ${schema}.snapshot_part
         SELECT 0, sequence, part, '' FROM generate_series(100, 200) AS part,
           (SELECT 1 AS sequence UNION SELECT min(sequence) FROM ${schema}.snapshot) AS old;
       CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN IF (SELECT count(*) FROM gone) > 100 THEN RAISE 'too many'; END IF; RETURN NULL; END $$`,
    );
    for (const table of ["turn", "snapshot_part"])
      await server.query(
        `CREATE TRIGGER refuse AFTER DELETE ON ${schema}.${table} REFERENCING OLD TABLE AS gone
         FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.refuse()`,
      );
    for (const n of [150, 151]) {
      await r1.save(n);
      expect(await snapshotOf("r1", r1.database)).to.not.equal(undefined);
    }
    const [left] = await server.query<{ readonly parts: string }>(
      `SELECT count(DISTINCT sequence) AS parts FROM ${schema}.snapshot_part`,
    );
    expect(left).to.deep.equal({ parts: "2" });
    expect(await firstTurn()).to.be.greaterThan(150);
  });

  it("lets go of the store of a replica that steps down while it is copied", async () => {
    let fail: (error: unknown) => void = () => undefined;
    const settings = { snapshotBytes: 16_500_000, leaseMs: 2_000 };
    const r1 = await active("r1", settings, {
      activate: (plain) => async (openDisk, stop) => {
        fail = stop;
        return await plain(openDisk, stop);
      },
    });
    await r1.saveMany(0, 16, 1_000_000);
    await r1.save(16, "x".repeat(800_000));
    while (!existsSync(`${scene.fileOf("r1")}.snapshot`)) await turn();
    fail(new Error("It cannot go on."));
    expect(r1.replica.role).to.equal("passive");
    await r1.untilRole("active");
    expect(r1.saved()).to.have.length(17);
  });
});
