import { randomBytes } from "node:crypto";
import { join } from "node:path";

import { expect } from "chai";
import type pg from "pg";

import { Lease } from "../../src/replica/lease.ts";
import { openLoggedDisk } from "../../src/replica/logged-disk.ts";
import {
  PostgresLog,
  PostgresLogReader,
} from "../../src/replica/postgres-log.ts";
import { openSession } from "../../src/replica/session.ts";
import { readTurns } from "../../src/replica/turns.ts";
import { machineTimers } from "../../src/async/timers.ts";
import { type Disk, openMachineDisk } from "../../src/store/disk.ts";
import { Follower } from "../../src/store/log/follower.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { PostgresServer } from "../helpers/postgres.ts";
import { tablesOf } from "../helpers/recorded-disk.ts";
import { newSchema } from "../helpers/replica.ts";
import {
  aConfirmedRecord,
  anIntentRecord,
  groupAt,
  temporaryDirectory,
} from "../helpers/stores.ts";

const group = groupAt(1);

describe("a store with its log in PostgreSQL", function () {
  this.timeout(60_000);
  let server: PostgresServer;
  let schema: string;
  let session: pg.Client;
  let directory: ReturnType<typeof temporaryDirectory>;
  const leases: Lease[] = [];

  before(async () => {
    server = await PostgresServer.start();
  });
  after(async () => {
    await server.stop();
  });
  beforeEach(async () => {
    schema = await newSchema(server);
    directory = temporaryDirectory();
    session = await openSession({
      url: server.url,
      name: "reader",
      idleMs: undefined,
      requestMs: 5_000,
    });
  });
  afterEach(async () => {
    for (const lease of leases.splice(0)) await lease.release();
    await session.end();
    directory.remove();
  });

  /** The store of a replica that has the lease; its file is as far as the log. */
  async function activate(
    name: string,
  ): Promise<{ store: Store; disk: Disk; lease: Lease }> {
    const lease = new Lease(
      {
        url: server.url,
        schema,
        bucket: 0,
        name,
        instance: name,
        leaseMs: 2_000,
        graceMs: 200,
      },
      { timers: machineTimers, onLost: () => undefined },
    );
    leases.push(lease);
    const taken = await lease.take();
    if (taken === undefined) throw new Error(`${name} did not get the lease.`);
    const log = new PostgresLog({ schema, bucket: 0, ...taken }, { lease });
    let disk: Disk | undefined;
    const openDisk = openLoggedDisk((file) => {
      disk = openMachineDisk(file);
      return disk;
    }, log);
    const file = join(directory.path, `${name}.db`);
    const store = openStore({ file }, { randomBytes, openDisk });
    if (disk === undefined) throw new Error("No disk was opened.");
    await store.database.settled();
    // The opening is a turn, too: others hear of it only when it is in the log.
    const turns = await session.query(`SELECT 1 FROM ${schema}.turn`);
    expect(turns.rowCount).to.be.greaterThan(taken.head.sequence);
    return { store, disk, lease };
  }

  /** A replica that is passive follows the log into a file of its own. */
  function follow(name: string): {
    disk: Disk;
    catchUp: () => Promise<void>;
  } {
    const disk = openMachineDisk(join(directory.path, `${name}.db`));
    const reader = new PostgresLogReader(
      { schema, bucket: 0 },
      { client: session },
    );
    const follower = new Follower({ disk, sqlOf: reader.sqlOf });
    return {
      disk,
      catchUp: async () => {
        for (;;) {
          const turns = await reader.after(follower.head.sequence, 7);
          if (turns.length === 0) return;
          follower.apply(turns);
        }
      },
    };
  }

  async function save(store: Store, from: number, to: number): Promise<void> {
    for (let n = from; n < to; n++) {
      store.write(() => {
        store.records.save(group, anIntentRecord(n));
        if (n % 3 === 0) store.records.save(group, aConfirmedRecord(n, n));
      });
      if (n % 5 === 0) await store.database.settled();
    }
    await store.database.settled();
  }

  it("is rebuilt by the log, and goes on in another replica with the next boot", async () => {
    const first = await activate("r1");
    await save(first.store, 0, 50);
    const second = follow("r2");
    await second.catchUp();
    const tables = tablesOf(first.disk.database);
    expect(tablesOf(second.disk.database)).to.deep.equal(tables);
    expect(tables["records"]).to.have.length(50);

    first.store.close();
    await first.lease.release();
    second.disk.close();
    const next = await activate("r2");
    expect(next.store.boot).to.equal(first.store.boot + 1);
    expect(next.store.records.open(group)).to.have.length(33);
    await save(next.store, 50, 60);
    const third = follow("r3");
    await third.catchUp();
    expect(tablesOf(third.disk.database)).to.deep.equal(
      tablesOf(next.disk.database),
    );
    third.disk.close();
    next.store.close();
  });

  it("writes no turn of a store that is not where the log is", async () => {
    const { store, lease } = await activate("r1");
    await save(store, 0, 3);
    store.close();
    await lease.release();
    // Its file is new, as if a replica had forgotten to catch up.
    let failure: unknown;
    try {
      await activate("r2");
    } catch (error) {
      failure = error;
    }
    expect(String(failure)).to.include("does not follow turn");
    const { rows } = await session.query<{ readonly epoch: string }>(
      `SELECT DISTINCT epoch FROM ${schema}.turn`,
    );
    expect(rows).to.deep.equal([{ epoch: "1" }]);
  });

  it("tells nobody that something is durable which the log does not have", async () => {
    const { store } = await activate("r1");
    await save(store, 0, 3);
    await server.query(`UPDATE ${schema}.bucket SET epoch = epoch + 1`);
    let failure: unknown;
    try {
      await save(store, 3, 4);
    } catch (error) {
      failure = error;
    }
    expect(failure).to.be.instanceOf(Error);
    const reader = follow("r2");
    await reader.catchUp();
    const rows = reader.disk.database.prepare("SELECT key FROM records").all();
    expect(rows).to.have.length(3);
    reader.disk.close();
    store.close();
  });

  it("is read in pages of some size, and a turn that is larger alone", async () => {
    const megabytes = [3, 3, 3, 10, 1, 1];
    for (const [index, count] of megabytes.entries())
      await session.query(
        `INSERT INTO ${schema}.turn VALUES (0, $1, 1, '', $2)`,
        [index + 1, randomBytes(count * 1_000_000)],
      );
    const reader = new PostgresLogReader(
      { schema, bucket: 0 },
      { client: session },
    );
    const pages: number[][] = [];
    for (let last = 0; last < megabytes.length;) {
      const page = (await reader.after(last, 100)).map(
        ({ sequence }) => sequence,
      );
      pages.push(page);
      last = page.at(-1) ?? Infinity;
    }
    expect(pages).to.deep.equal([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    expect(await reader.after(4, 1)).to.have.length(1);
    const turns = await readTurns(session, {
      schema,
      bucket: 0,
      from: 4,
      turnsMax: 100,
    });
    expect(turns.map(({ sequence }) => sequence)).to.deep.equal([4]);
  });
});
